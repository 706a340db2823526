import type { Exchange } from '../../model/record/exchange.ts';
import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { readBody } from './body.ts';

/** An exchange with the body that was sent in its last attempt, in place of the one that the caller sent. */
export function withOverriddenBody(exchange: Exchange): Exchange {
  const override = overrideOf(exchange);
  if (override === undefined) return exchange;
  const { requestBody, end } = exchange;
  const sent = isWhole(exchange) ? overridden(exchange, override) : undefined;
  // What the caller sent is not what was sent, so the record does not have the whole of that.
  if (sent === undefined) return end === undefined ? exchange : { ...exchange, end: { ...end, requestCut: true } };
  return {
    ...exchange,
    requestBody: sent,
    receivedBody: requestBody,
    end: end === undefined ? undefined : { ...end, requestBytes: sent.length },
  };
}

/** Without an end the head tells what is known. @returns undefined where the body is the caller's own, or nothing of it is here. */
function overrideOf({ open, requestBody, responseHead, end }: Exchange): JsonObject | undefined {
  const override = (end ?? responseHead)?.bodyOverride ?? open.bodyOverride;
  return override === undefined || Object.keys(override).length === 0 || requestBody.length === 0 ? undefined : override;
}

function isWhole({ requestBody, end }: Exchange): boolean {
  return end === undefined || (end.requestCut !== true && requestBody.length >= end.requestBytes);
}

/** As a record has JSON, whose form is not kept. */
function overridden({ open, requestBody }: Exchange, override: JsonObject): Buffer | undefined {
  const { parsed } = readBody(requestBody, open.headers['content-encoding'], open.headers['content-type'] ?? '');
  return isJsonObject(parsed) ? Buffer.from(JSON.stringify({ ...parsed, ...override })) : undefined;
}
