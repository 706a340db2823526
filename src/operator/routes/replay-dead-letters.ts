import { sendData } from '../../api/http/send-json.ts';
import { readJson } from '../../api/http/read-json.ts';
import { unwrap } from '../../contract/fault.ts';
import { deadLetterReplaySchema } from '../../contract/operator.ts';
import { readBody } from '../../contract/read-body.ts';
import type { OperatorCall, OperatorEndpoint } from './endpoint.ts';

export const replayDeadLetters: OperatorEndpoint = { method: 'POST', path: '/dead-letters/replay', handle: answerReplay };

async function answerReplay({ context, work }: OperatorCall): Promise<Response> {
  const { ids } = unwrap(readBody(deadLetterReplaySchema, await readJson(context)));
  return sendData(context, await work.replay.replay(ids));
}
