import type { Exchange } from '../../model/record/exchange.ts';
import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { readBody } from './body.ts';

/** Replaces the caller's body with the one sent in the last attempt. */
export function withOverriddenBody(exchange: Exchange): Exchange {
  const override = overrideOf(exchange);
  if (override === undefined) return exchange;
  const { requestBody, end } = exchange;
  const sent = isCompleteBody(exchange) ? overridden(exchange, override) : undefined;
  // The sent body cannot be rebuilt, so the record's body counts as cut.
  if (sent === undefined) return end === undefined ? exchange : { ...exchange, end: { ...end, requestCut: true } };
  return {
    ...exchange,
    requestBody: sent,
    receivedBody: requestBody,
    end: end === undefined ? undefined : { ...end, requestBytes: sent.length },
  };
}

/** @returns undefined where the caller's body was sent unchanged, or was not recorded. */
function overrideOf({ open, requestBody, responseHead, end }: Exchange): JsonObject | undefined {
  const override = (end ?? responseHead)?.bodyOverride ?? open.bodyOverride;
  return override === undefined || Object.keys(override).length === 0 || requestBody.length === 0 ? undefined : override;
}

function isCompleteBody({ requestBody, end }: Exchange): boolean {
  return end === undefined || (end.requestCut !== true && requestBody.length >= end.requestBytes);
}

/** Rewritten as JSON: records do not keep its formatting. */
function overridden({ open, requestBody }: Exchange, override: JsonObject): Buffer | undefined {
  const { parsed } = readBody(requestBody, open.headers['content-encoding'], open.headers['content-type'] ?? '');
  return isJsonObject(parsed) ? Buffer.from(JSON.stringify({ ...parsed, ...override })) : undefined;
}
