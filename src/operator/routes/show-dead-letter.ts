import { isUtf8 } from 'node:buffer';
import { sendData } from '../../api/http/send-json.ts';
import { unwrap } from '../../contract/fault.ts';
import { type DeadLetterAnswer, deadLetterShowSchema } from '../../contract/operator.ts';
import { readParameters } from '../../contract/read-body.ts';
import type { LetterFrame } from '../../ingest/dead-letters/store.ts';
import type { AcceptedChange } from '../../model/change.ts';
import { feedbackScore } from '../../model/vocabulary/scores.ts';
import { GatelogError } from '../../model/errors.ts';
import { frameKinds } from '../../model/record/exchange.ts';
import { parseJson } from '../../model/text.ts';
import type { OperatorCall, OperatorEndpoint } from './endpoint.ts';
import { itemOf } from './letter-item.ts';

/** `GET /dead-letters/:id`: bodies are customers' data and come only on request. */
export const showDeadLetter: OperatorEndpoint = { method: 'GET', path: '/dead-letters/:id', handle: answerShow };

async function answerShow({ context, work }: OperatorCall): Promise<Response> {
  const { bodies } = unwrap(readParameters(deadLetterShowSchema, context.req.query()));
  const letter = await work.deadLetters.read(context.req.param('id') ?? '');
  if (letter === undefined) {
    throw new GatelogError('not_found', 'There is no such dead letter; "gatelog dead-letters list" shows those there are.');
  }
  const data: DeadLetterAnswer = {
    ...itemOf(letter),
    frames: letter.frames.map((frame) => frameItem(frame, bodies === 'true')),
    changes: letter.changes.map(changeItem),
  };
  return sendData(context, data);
}

type FrameItem = DeadLetterAnswer['frames'][number];

/** The content of a frame: JSON, body bytes, or JSON with the body behind a line feed. */
type Holds = 'json' | 'body' | 'both';

const holdings: Readonly<Record<number, readonly [name: string, holds: Holds]>> = {
  [frameKinds.open]: ['open', 'json'],
  [frameKinds.requestPart]: ['request', 'body'],
  [frameKinds.responseHead]: ['response head', 'json'],
  [frameKinds.responsePart]: ['response', 'body'],
  [frameKinds.end]: ['end', 'json'],
  [frameKinds.opened]: ['open, request', 'both'],
  [frameKinds.answered]: ['response head, response, end', 'both'],
};

function frameItem({ kind, stamp, payload }: LetterFrame, withBody: boolean): FrameItem {
  const [name, holds] = holdings[kind] ?? [`kind ${kind}`, 'body'];
  const { json, body } = payload === undefined ? {} : partsOf(payload, holds);
  return {
    kind: name,
    stamp_ms: stamp,
    bytes: payload?.length ?? null,
    head: json === undefined ? null : (parseJson(json.toString()) ?? null),
    ...bodyItem(withBody ? (holds === 'json' && parseJson(json?.toString() ?? '') === undefined ? json : body) : undefined),
  };
}

function partsOf(payload: Buffer, holds: Holds): { readonly json?: Buffer; readonly body?: Buffer } {
  if (holds === 'json') return { json: payload };
  if (holds === 'body') return { body: payload };
  const end = payload.indexOf('\n');
  return end === -1 ? { json: payload } : { json: payload.subarray(0, end), body: payload.subarray(end + 1) };
}

function bodyItem(body: Buffer | undefined): Pick<FrameItem, 'body' | 'body_encoding'> {
  if (body === undefined) return { body: null, body_encoding: null };
  const encoding = isUtf8(body) ? 'utf8' : 'base64';
  return { body: body.toString(encoding), body_encoding: encoding };
}

function changeItem({ change, keyId, acceptedAt }: AcceptedChange): DeadLetterAnswer['changes'][number] {
  const names = change.kind === 'feedback' ? [feedbackScore] : [...change.values.keys()];
  return { kind: change.kind, key_id: keyId, accepted_at: new Date(acceptedAt).toISOString(), names };
}
