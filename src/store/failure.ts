import { GatelogError, messageOf } from '../model/errors.ts';

const timeoutCodes = new Set(['159', '160', '209']);
const overMemoryCode = '241';
const overResultCode = '396';
const memoryCodes = new Set([overMemoryCode, overResultCode, '158', '307']);
/** A query that is more than the engine's parser takes. */
const sizeCodes = new Set(['167', '168']);
/** Input that the store will never take, however often it is sent. */
const rejectedCodes = new Set(['6', '25', '26', '27', '33', '38', '41', '53', '69', '70', '72', '117', '131', '321', '376']);
/** An engine that answers but cannot work now: too many queries, no network, a full or read-only disk, too many parts. */
const awayCodes = new Set(['202', '203', '210', '236', '242', '243', '252', '279', '999']);

/** A failure of the engine as one of ours; the engine's own words stay in `cause`. */
export function storeFailure(error: unknown): GatelogError {
  if (error instanceof GatelogError) return error;
  const code = engineCode(error);
  if (code !== undefined && timeoutCodes.has(code)) {
    return new GatelogError('query_timeout', 'The query took longer than its time limit. Narrow the time range or the filter.', {
      cause: error,
    });
  }
  if (code === overResultCode) {
    return new GatelogError('query_too_large', 'The query finds more than one answer may hold. Ask for fewer at once: a smaller `limit`.', {
      cause: error,
    });
  }
  if (error instanceof RangeError || (code !== undefined && (memoryCodes.has(code) || sizeCodes.has(code)))) {
    return new GatelogError(
      'query_too_large',
      'The query needs more memory than it may use. Narrow the time range, the filter or the limit.',
      { cause: error },
    );
  }
  if (code === undefined || awayCodes.has(code)) {
    return new GatelogError('store_unavailable', 'The store cannot be reached. Try again in a moment.', { cause: error });
  }
  return new GatelogError('internal', 'The store could not run this query.', { cause: error });
}

/** True when the same rows would be refused again: they are at fault, not the moment. */
export function isRejection(error: unknown): boolean {
  const code = engineCode(causeOf(error));
  return code !== undefined && rejectedCodes.has(code);
}

/** True when so many rows at once are more than the store, or this process, has memory for. */
export function isTooLarge(error: unknown): boolean {
  const code = engineCode(causeOf(error));
  return isOverflow(error) || (code !== undefined && memoryCodes.has(code));
}

/** True when a query needed more memory than it may use. */
export function isOverMemory(error: unknown): boolean {
  return engineCode(causeOf(error)) === overMemoryCode;
}

/** True when a query found more bytes than it may give. */
export function isOverResult(error: unknown): boolean {
  return engineCode(causeOf(error)) === overResultCode;
}

/** True when what is to be written is more than this process can hold in one piece, however much memory there is. */
export function isOverflow(error: unknown): boolean {
  return causeOf(error) instanceof RangeError;
}

/** A failure for the log. Of the engine's words only its code, as the rest may quote what was stored. */
export function failureText(error: unknown): string {
  const cause = causeOf(error);
  const code = engineCode(cause);
  if (code !== undefined) return `${messageOf(error)} (engine error ${code})`;
  return cause === error ? messageOf(error) : `${messageOf(error)} (${messageOf(cause)})`;
}

function causeOf(error: unknown): unknown {
  return error instanceof GatelogError && error.cause !== undefined ? error.cause : error;
}

/**
 * Number of an engine's own error, as text.
 * TRICKY: the client and chdb each bring a copy of `ClickHouseError`, so `instanceof` would miss one of them.
 */
function engineCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('type' in error)) return undefined;
  const { code } = error;
  return typeof code === 'string' && /^\d+$/.test(code) ? code : undefined;
}
