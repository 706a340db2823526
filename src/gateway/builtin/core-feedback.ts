import type { GiveFeedback } from './feedback.ts';
import { type ErrorCode, GatelogError, isApiErrorCode } from '../../model/errors.ts';
import { isJsonObject, parseJson } from '../../model/text.ts';

/** A change is acknowledged once it is durable. */
const timeoutMs = 10_000;

/** Sends ratings to the core's API. @param coreAddress where it is now. @throws as `fetch` does when the core is away. */
export function makeGiveFeedback(coreAddress: () => string | undefined): GiveFeedback {
  return async (key, { requestId, rating }) => {
    const address = coreAddress();
    if (address === undefined) throw new Error('the core has told no address');
    const response = await fetch(`${address}/v1/request/${requestId}/feedback`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ rating }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body = parseJson(await response.text());
    if (response.ok) return;
    const { code, error } = isJsonObject(body) ? body : {};
    if (typeof code === 'string' && isApiErrorCode(code as ErrorCode)) {
      throw new GatelogError(code as ErrorCode, typeof error === 'string' ? error : 'The rating was not taken.');
    }
    throw new Error(`the core answered ${response.status}`);
  };
}
