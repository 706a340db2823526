import type { Exchange, ExchangeOpen, LogMetadata, LoggedOpen } from './exchange.ts';

/** Undefined for a call through the gateway. */
export function logMetadataOf(open: ExchangeOpen | LoggedOpen): LogMetadata | undefined {
  return 'logged' in open ? open.logged : undefined;
}

/** A logged call of which frames are missing: its sender was not told that it is on record. */
export function isUnacknowledged({ open, requestBody, responseHead, responseBody }: Exchange): boolean {
  const logged = logMetadataOf(open);
  if (logged === undefined) return false;
  return responseHead === undefined || requestBody.length !== logged.requestBytes || responseBody.length !== logged.responseBytes;
}
