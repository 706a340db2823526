import { GatelogError, messageOf } from '../../model/errors.ts';

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

/** What is only said of a file of the store that is not as it was written. */
const damageCodes = new Set(['40', '226', '228', '246']);
/** What is said of such a file as well as of other things: only where a part was being read it is one. */
const partDamageCodes = new Set(['32', '33', '74', '76', '107', '117', '271', '432']);

/** A failure of the engine as one of ours; the engine's own words stay in `cause`. */
export function storeFailure(error: unknown): GatelogError {
  if (error instanceof GatelogError) return error;
  const code = engineCode(error);
  if (isDamage(error)) {
    return new GatelogError('store_damaged', damageSentence, { cause: error });
  }
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

const damageSentence =
  'A file of the store is damaged, and this query needs what is in it. Records of other times can be read: narrow the time range. The log of the service says which file.';

/** True when a file of the store is not as it was written. */
export function isDamage(error: unknown): boolean {
  if (error instanceof GatelogError && error.code === 'store_damaged') return true;
  const cause = causeOf(error);
  const code = engineCode(cause);
  if (code === undefined || timeoutCodes.has(code) || memoryCodes.has(code) || sizeCodes.has(code)) return false;
  if (damageCodes.has(code)) return true;
  const text = messageOf(cause);
  // Columns are only read, not computed: what is unreadable there was not written so.
  return text.includes('(while reading from part ') && (partDamageCodes.has(code) || text.includes('(while reading column '));
}

/** What the engine says in a table of its own, `Code: 40. DB::Exception: …`, as the error that it would have thrown. */
export function engineErrorOf(text: string): Error {
  return Object.assign(new Error(text), { code: /^Code: (\d+)\./.exec(text)?.[1] ?? '0', type: 'ENGINE' });
}

/** A part of a table as the engine's words name it. */
export interface NamedPart {
  /** The engine's name of the table. */
  readonly tableId: string;
  readonly part: string;
}

/** The part whose file the engine could not read, where its words hold the file's path. */
export function damagedPartOf(error: unknown): NamedPart | undefined {
  if (!isDamage(error)) return undefined;
  const [, tableId, part] = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([\w-]+)\//.exec(messageOf(causeOf(error))) ?? [];
  return tableId === undefined || part === undefined ? undefined : { tableId, part };
}

/** True when the same rows would be refused again: they are at fault, not the moment. */
export function isRejection(error: unknown): boolean {
  const code = engineCode(causeOf(error));
  if (isDamage(error)) return false;
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
  const part = damagedPartOf(error)?.part;
  if (code !== undefined) return `${messageOf(error)} (engine error ${code}${part === undefined ? '' : `, part ${part}`})`;
  return cause === error ? messageOf(error) : `${messageOf(error)} (${messageOf(cause)})`;
}

/** Number of an engine's error, also behind one of ours; undefined of another error. */
export function engineCodeOf(error: unknown): string | undefined {
  return engineCode(causeOf(error));
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
