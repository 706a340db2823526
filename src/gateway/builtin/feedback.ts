import { validate } from 'uuid';
import { hashKey } from '../../auth/api-key.ts';
import { GatelogError } from '../../model/errors.ts';
import { isJsonObject, parseJson } from '../../model/text.ts';
import { keysOnCall } from '../credentials/credentials.ts';
import { jsonBody } from '../http/error-response.ts';
import type { CallControl, ResponseSink } from '../upstream/response-sink.ts';
import type { RequestHead } from '../directives/request-head.ts';

export interface Rating {
  readonly requestId: string;
  readonly rating: boolean;
}

/** Stores a rating with the permissions of the caller's key. @throws GatelogError why it was not stored. */
export type GiveFeedback = (key: string, rating: Rating) => Promise<void>;

/** A rating cannot be cancelled. */
const running: CallControl = { pause: () => undefined, resume: () => undefined, abort: () => undefined };

interface FeedbackCall {
  readonly head: RequestHead;
  readonly keyHash: string;
  readonly body: Buffer;
}

/** `POST /v1/feedback` with `{"helicone-id": …, "rating": true}`, as Helicone's clients send it. */
export function answerFeedback(give: GiveFeedback, feedback: FeedbackCall, sink: ResponseSink): void {
  sink.begin(running);
  void answer(give, feedback, sink);
}

async function answer(give: GiveFeedback, feedback: FeedbackCall, sink: ResponseSink): Promise<void> {
  try {
    await rate(give, feedback);
  } catch (error) {
    sink.fail(error instanceof GatelogError ? error : unavailable(error));
    return;
  }
  const done = jsonBody({ data: null, error: null });
  sink.start(200, ['content-type', 'application/json; charset=utf-8', 'content-length', String(done.length)], '');
  sink.data(done);
  sink.finish();
}

async function rate(give: GiveFeedback, { head, keyHash, body }: FeedbackCall): Promise<void> {
  const rating = readRating(body);
  const { credentials, directives } = head;
  const key = keysOnCall(credentials, directives.auth).find((sent) => hashKey(sent) === keyHash);
  if (key === undefined) throw new TypeError('the accepted key is not among those that were sent');
  await give(key, rating);
}

/** @throws GatelogError `malformed_request`. */
function readRating(body: Buffer): Rating {
  const parsed = parseJson(body.toString());
  const requestId = isJsonObject(parsed) ? (parsed['helicone-id'] ?? parsed['svc-id']) : undefined;
  const rating = isJsonObject(parsed) ? parsed['rating'] : undefined;
  if (typeof requestId === 'string' && validate(requestId) && typeof rating === 'boolean') return { requestId, rating };
  throw new GatelogError(
    'malformed_request',
    'A feedback is {"helicone-id": "<the identifier of the request>", "rating": true or false}; nothing was rated.',
  );
}

function unavailable(cause: unknown): GatelogError {
  return new GatelogError('feedback_unavailable', 'What takes ratings is away at the moment; nothing was rated. Try again.', { cause });
}
