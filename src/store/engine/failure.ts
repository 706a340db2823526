import { GatelogError, messageOf } from '../../model/errors.ts';

const timeoutCodes = new Set(['159', '160', '209']);
const badArgumentsCode = '36';
const overMemoryCode = '241';
const overResultCode = '396';
const memoryCodes = new Set([overMemoryCode, overResultCode, '158', '307']);
/** The query exceeds the engine's parser. */
const sizeCodes = new Set(['167', '168']);
/** The input can never be stored. */
const rejectedCodes = new Set(['6', '25', '26', '27', '33', '38', '41', '53', '69', '70', '72', '117', '131', '321', '376']);
/**
 * It responds but cannot work now: too many queries, no network, a full or read-only disk, too many parts, a quota, a user without rights,
 * no Keeper.
 */
const awayCodes = new Set(['164', '194', '201', '202', '203', '210', '225', '236', '242', '243', '252', '279', '497', '516', '999']);
/** Replicas are away or behind, where the user reads or inserts with a quorum. */
const quorumCodes = new Set(['254', '285', '286', '289', '319', '369']);

/** Another replica may work: no network, Keeper away, a table that is read-only because of either. */
const unreachableCodes = new Set(['209', '210', '225', '242', '279', '999']);

/** Codes only for damaged files of the store. */
const damageCodes = new Set(['40', '226', '228', '246']);
/** Codes for damaged files among others: they mean damage only while a part was being read. */
const partDamageCodes = new Set(['32', '33', '74', '76', '107', '117', '271', '432']);

/** The engine's failure as one of ours; the engine's message stays in `cause`. */
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
  const overBounds = overBoundsFailure(error, code);
  if (overBounds !== undefined) return overBounds;
  if (code === badArgumentsCode && /time zone/i.test(messageOf(error))) {
    return new GatelogError('invalid_body', unknownZoneSentence, { cause: error, details: { path: 'timezone' } });
  }
  if (code === undefined || awayCodes.has(code) || quorumCodes.has(code)) {
    return new GatelogError('store_unavailable', 'The store cannot be reached. Try again in a moment.', { cause: error });
  }
  return new GatelogError('internal', 'The store could not run this query.', { cause: error });
}

function overBoundsFailure(error: unknown, code: string | undefined): GatelogError | undefined {
  if (code === overMemoryCode && isOfAll(error)) return withoutMemory(error);
  if (code === overResultCode) {
    return new GatelogError('query_too_large', 'The query finds more than one answer may hold. Ask for fewer at once: a smaller `limit`.', {
      cause: error,
    });
  }
  const isOver = error instanceof RangeError || (code !== undefined && (memoryCodes.has(code) || sizeCodes.has(code)));
  if (!isOver) return undefined;
  const message = 'The query needs more memory than it may use. Narrow the time range, the filter or the limit.';
  return new GatelogError('query_too_large', message, { cause: error });
}

/**
 * As {@link storeFailure}, for a statement of ours that reads and writes single records: that the store has no memory for it is due to what
 * runs beside it.
 */
export function changeFailure(error: unknown): GatelogError {
  const failure = storeFailure(error);
  return isOverMemory(failure) ? withoutMemory(causeOf(failure)) : failure;
}

/** Whether it was the memory of a server or of its user that was exceeded, not that of the query alone. */
function isOfAll(error: unknown): boolean {
  return /\((?:total|for user)\)|\buser memory limit/i.test(messageOf(error));
}

function withoutMemory(cause: unknown): GatelogError {
  return new GatelogError('store_unavailable', 'The store has no memory for this at the moment. Try again in a moment.', { cause });
}

/** A zone that this program knows may be younger than the store's table. */
const unknownZoneSentence = 'The store does not know this time zone. Name an older one with the same clocks, or use `timezoneDifference`.';

const damageSentence =
  'A file of the store is damaged, and this query needs what is in it. Records of other times can be read: narrow the time range. The log of the service says which file.';

export function isDamage(error: unknown): boolean {
  if (error instanceof GatelogError && error.code === 'store_damaged') return true;
  const cause = causeOf(error);
  const code = engineCode(cause);
  if (code === undefined || timeoutCodes.has(code) || memoryCodes.has(code) || sizeCodes.has(code)) return false;
  if (damageCodes.has(code)) return true;
  const text = messageOf(cause);
  // Columns are only read, not computed: an unreadable value was not written so.
  return text.includes('(while reading from part ') && (partDamageCodes.has(code) || text.includes('(while reading column '));
}

/** Parses the engine's text in its own tables, `Code: 40. DB::Exception: …`, as the error that it would have thrown. */
export function engineErrorOf(text: string): Error {
  return Object.assign(new Error(text), { code: /^Code: (\d+)\./.exec(text)?.[1] ?? '0', type: 'ENGINE' });
}

/** A part of a table in the engine's messages. */
export interface NamedPart {
  /** The engine's id of the table. */
  readonly tableId: string;
  readonly part: string;
}

/** The part whose file the engine could not read, where its message has the path. */
export function damagedPartOf(error: unknown): NamedPart | undefined {
  if (!isDamage(error)) return undefined;
  const [, tableId, part] = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([\w-]+)\//.exec(messageOf(causeOf(error))) ?? [];
  return tableId === undefined || part === undefined ? undefined : { tableId, part };
}

/** Whether the same rows would be refused again: the rows are at fault, not the moment. */
export function isRejection(error: unknown): boolean {
  const code = engineCode(causeOf(error));
  if (isDamage(error)) return false;
  return code !== undefined && rejectedCodes.has(code);
}

/** Whether a server could not be asked, or cannot work now while another replica may. */
export function isUnreachable(error: unknown): boolean {
  const cause = causeOf(error);
  if (!(cause instanceof Error) || cause instanceof GatelogError || cause instanceof RangeError) return false;
  const code = engineCode(cause);
  if (code !== undefined) return unreachableCodes.has(code);
  return (
    cause.name !== 'AbortError' &&
    (('code' in cause && typeof cause.code === 'string') || /socket hang up|Timeout error|aborted/i.test(cause.message))
  );
}

/** Whether the rows together exceed the memory of the store or of this process. */
export function isTooLarge(error: unknown): boolean {
  const code = engineCode(causeOf(error));
  return isOverflow(error) || (code !== undefined && memoryCodes.has(code));
}

export function isOverMemory(error: unknown): boolean {
  return engineCode(causeOf(error)) === overMemoryCode;
}

/** Whether a query's result exceeded its maximum bytes. */
export function isOverResult(error: unknown): boolean {
  return engineCode(causeOf(error)) === overResultCode;
}

/** Whether the data exceeds what this process can hold in one piece. */
export function isOverflow(error: unknown): boolean {
  return causeOf(error) instanceof RangeError;
}

/** The failure for the log: of the engine's message only its code, because the rest may quote stored data. */
export function failureText(error: unknown): string {
  const cause = causeOf(error);
  const code = engineCode(cause);
  const part = damagedPartOf(error)?.part;
  if (code !== undefined) return `${messageOf(error)} (engine error ${code}${part === undefined ? '' : `, part ${part}`})`;
  return cause === error ? messageOf(error) : `${messageOf(error)} (${messageOf(cause)})`;
}

/** Also where its whole database is missing. */
export function isMissingTable(error: unknown): boolean {
  const code = engineCodeOf(error);
  return code === '60' || code === '81';
}

/** The code of an engine's error, also behind one of ours; undefined for other errors. */
export function engineCodeOf(error: unknown): string | undefined {
  return engineCode(causeOf(error));
}

function causeOf(error: unknown): unknown {
  return error instanceof GatelogError && error.cause !== undefined ? error.cause : error;
}

/** TRICKY: the client and chdb each bring a copy of `ClickHouseError`, so `instanceof` would miss one of them. */
function engineCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('type' in error)) return undefined;
  const { code } = error;
  return typeof code === 'string' && /^\d+$/.test(code) ? code : undefined;
}
