import { sendData } from '../../api/http/send-json.ts';
import { unwrap } from '../../contract/fault.ts';
import { deadLetterListSchema } from '../../contract/operator.ts';
import { readParameters } from '../../contract/read-body.ts';
import type { OperatorCall, OperatorEndpoint } from './endpoint.ts';
import { itemOf } from './letter-item.ts';

export const listDeadLetters: OperatorEndpoint = { method: 'GET', path: '/dead-letters', handle: answerList };

async function answerList({ context, work }: OperatorCall): Promise<Response> {
  const { after, limit, reason } = unwrap(readParameters(deadLetterListSchema, context.req.query()));
  const { letters, next } = work.deadLetters.list({ after, limit, reason });
  return sendData(context, { letters: letters.map(itemOf), next, total: work.deadLetters.count() });
}
