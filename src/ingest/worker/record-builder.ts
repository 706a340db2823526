import { type AcceptedChange, textsName, waitingTexts } from '../../model/change.ts';
import { messageOf } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Exchange, SpanIdentity } from '../../model/record/exchange.ts';
import { callDetails } from '../../model/record/call-details.ts';
import { isUnacknowledged, logMetadataOf } from '../../model/record/log-metadata.ts';
import { type Spend, spendOf } from '../../model/record/spend.ts';
import type { RedactionRule } from '../../model/redaction-rule.ts';
import type { UsageCompletion } from '../../model/record/usage-completion.ts';
import { isSystemError } from '../../platform/files.ts';
import type { OrganizationPrices } from '../../pricing/organization-prices.ts';
import type { PriceBook } from '../../pricing/price-book.ts';
import { PayloadReader } from '../../spool/payload-reader.ts';
import type { FrameLocation } from '../../spool/spool.ts';
import { changeRows } from '../../store/insert/change-rows.ts';
import type { RowMemory } from '../../store/insert/row-memory.ts';
import { newRowWriters, type RecordRows, rowsOf, type RowWriters } from '../../store/insert/rows.ts';
import { assembleExchange } from '../interpret/assemble.ts';
import { type ErasedUser, erasureOf } from '../changes/erasures.ts';
import { importedRecord, type ImportedRecord, isImported } from '../imports/imported-record.ts';
import { type InterpretContext, interpretExchange } from '../interpret/interpret.ts';
import { awaitedResponseOf, completionOf } from '../completions/read.ts';
import type { RecordTexts } from '../interpret/record-texts.ts';
import { madeOfSpan } from '../../model/vocabulary/span-marks.ts';
import { mergedRecord } from '../interpret/merged-record.ts';
import type { ToldRow } from '../../store/once/told-rows.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import type { BoundedRedactor } from '../redaction/bounded.ts';
import { type BudgetSettlement, settlementOf } from '../interpret/settlement.ts';
import type { ThreatCheck } from '../threats/patterns.ts';

/** Settings that the exchanges of one organisation in one series share. */
export interface TaskSettings {
  readonly seriesFolder: string;
  /** An exchange of another organisation fails. */
  readonly organizationId: OrganizationId;
  /** By lower-case name; undefined when there are none. */
  readonly declaredNames: ReadonlyMap<string, string> | undefined;
  readonly redactionRules: readonly RedactionRule[] | undefined;
  readonly organizationPrices: OrganizationPrices;
  /** Whether a span may have told of its calls, so that results say by what they are found. */
  readonly seeksCalls?: boolean | undefined;
  /** Users whose records are not stored. */
  readonly erasures?: readonly ErasedUser[] | undefined;
}

/** One exchange to be read from the spool and interpreted. Plain data: it is sent to a thread. */
export interface InterpretTask {
  /** The same object for all tasks that share them. */
  readonly settings: TaskSettings;
  readonly frames: readonly FrameLocation[];
  /** Accepted before the record was stored, oldest first. */
  readonly changes: readonly AcceptedChange[];
  /** Other spans of the same call, with which it makes one record. */
  readonly joined?: JoinedTasks | undefined;
}

export interface JoinedTasks {
  readonly others: readonly Pick<InterpretTask, 'settings' | 'frames'>[];
  /** Index of the one whose counts count: 0 is the task itself, then the others. */
  readonly counted: number;
}

export interface RecordBuilderParts {
  readonly book: PriceBook;
  readonly redactions: BoundedRedactor;
  /** Bytes of a body's text that filters search. */
  readonly searchMaxBytes?: number | undefined;
  /** Whether bodies of coding agents name sessions. */
  readonly agentSessions?: boolean | undefined;
  /** The operator's, in place of the built-in one. It may throw. */
  readonly threatCheck?: ThreatCheck | undefined;
}

export interface InterpretedRows extends RecordRows {
  /** What the request goes on with: requests of one name repeat each other. Undefined where it repeats nothing. */
  readonly conversation?: string | undefined;
  /** Unix milliseconds: when it ended, or was logged; null where that is not known. */
  readonly endedAt: number | null;
  /** Undefined for an import: it happened before. */
  readonly spend?: Spend | undefined;
  readonly settlement?: BudgetSettlement | undefined;
  /** Usage from a read of a finished response. */
  readonly completion?: UsageCompletion | undefined;
  /** Key (`responseKeyOf`) of the response whose usage a later read may bring. */
  readonly awaited?: string | undefined;
  /** What shows whether another record is of the same call; undefined where nothing could. */
  readonly told?: Omit<ToldRow, 'requestId'> | undefined;
  /** Why the redaction rules could not be applied: the texts that they concern are left out. */
  readonly redactionFailure?: string | undefined;
  /** Why the operator's threat check has no result. */
  readonly threatCheckFailure?: string | undefined;
}

/** The rest of a record that an erasure removes: the erasure's number, and the budget to settle. */
export interface ErasedRecord {
  readonly erasure: number;
  readonly settlement?: BudgetSettlement | undefined;
}

/**
 * Rows for the tables, or why there are none. `shortage`: this process was short of a resource, and the exchange is not at fault.
 * `unacknowledged`: a logged call whose sender was not told that it is on record.
 */
export type InterpretedExchange =
  | InterpretedRows
  | ErasedRecord
  | { readonly failure: string }
  | { readonly shortage: string }
  | { readonly unacknowledged: true };

/**
 * The results of a batch, in the order of its tasks: of all, or of the first, at least one, where all would take more time or memory than a
 * batch may. Disposal returns the memory of their rows, which cannot be read any more then.
 */
export interface Interpretation extends Disposable {
  readonly results: readonly InterpretedExchange[];
}

/**
 * Interprets a batch. The caller owns the interpretation and disposes of it.
 * @param storedAt Unix milliseconds written as the rows' `updated_at`.
 * @throws RecordBuilderCrashed when one exchange of the batch was too much for the thread.
 */
export type Interpret = (tasks: readonly InterpretTask[], storedAt: number) => Promise<Interpretation>;

/** The interpreter crashed, or did not finish, on a batch. */
export class RecordBuilderCrashed extends Error {
  override readonly name = 'RecordBuilderCrashed';
}

/** The rules, prices and erasures of the settings are another organisation's then. */
const otherOrganization = 'the exchange is of another organisation than it was taken for';
const noNames: ReadonlyMap<string, string> = new Map();
const shortages = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

export interface BatchParts extends RecordBuilderParts {
  /** Unix milliseconds written as the rows' `updated_at`. */
  readonly storedAt: number;
  readonly memory?: RowMemory;
}

/** Interprets exchanges one by one. A failure of one is a value, so that a poisoned exchange stops no other. */
export function* interpretTasks(tasks: Iterable<InterpretTask>, parts: BatchParts): Generator<InterpretedExchange, void> {
  const reader = new PayloadReader();
  const interpreting: Interpreting = { ...parts, writers: newRowWriters(parts.memory), reader };
  try {
    for (const task of tasks) yield interpretTask(task, interpreting);
  } finally {
    reader.close();
  }
}

/** Limits of one batch. They stop no batch before its first exchange is interpreted. */
export interface BatchBounds {
  readonly maxRowBytes: number;
  readonly maxMs: number;
  /** For the exchanges of one organisation. */
  readonly maxMsOfOne: number;
  readonly monotonic: () => number;
  /** The organisation of an exchange, by its index. */
  readonly ownerOf: (index: number) => string | undefined;
}

/** Yields results until a bound is exceeded; the result that exceeds it is the last. */
export function* withinBounds(results: Iterable<InterpretedExchange>, bounds: BatchBounds): Generator<InterpretedExchange, void> {
  const { maxRowBytes, maxMs, maxMsOfOne, monotonic, ownerOf } = bounds;
  const msOf = new Map<string | undefined, number>();
  const startedAt = monotonic();
  let [rowBytes, index, before] = [0, 0, startedAt];
  for (const result of results) {
    if ('request' in result) rowBytes += result.request.length + result.bodies.length + result.changes.length;
    yield result;
    const now = monotonic();
    const ofOne = (msOf.get(ownerOf(index)) ?? 0) + now - before;
    if (rowBytes > maxRowBytes || now - startedAt > maxMs || ofOne > maxMsOfOne) return;
    msOf.set(ownerOf(index), ofOne);
    [index, before] = [index + 1, now];
  }
}

interface Interpreting extends BatchParts {
  readonly writers: RowWriters;
  readonly reader: PayloadReader;
}

function interpretTask(task: InterpretTask, interpreting: Interpreting): InterpretedExchange {
  const { settings, frames } = task;
  try {
    const exchange = exchangeOf(interpreting.reader, { settings, frames });
    if (exchange.open.organizationId !== settings.organizationId) return { failure: otherOrganization };
    return isUnacknowledged(exchange) ? { unacknowledged: true } : interpretAcknowledged(exchange, task, interpreting);
  } catch (error) {
    if (isSystemError(error) && shortages.has(error.code ?? '')) return { shortage: error.message };
    return { failure: messageOf(error) };
  }
}

function interpretAcknowledged(
  exchange: Exchange,
  { settings, changes: earlier, joined }: InterpretTask,
  interpreting: Interpreting,
): InterpretedExchange {
  const { declaredNames = noNames, redactionRules, organizationPrices, erasures } = settings;
  const { storedAt, searchMaxBytes, agentSessions, writers, redactions, threatCheck } = interpreting;
  const prices = { book: interpreting.book, organization: organizationPrices };
  let redactionFailure: string | undefined;
  const redactByRules =
    redactionRules &&
    ((written: RecordTexts): RecordTexts => {
      const { texts, failure } = redactions.apply(exchange.open.organizationId, redactionRules, written);
      redactionFailure ??= failure;
      return texts;
    });
  let threatCheckFailure: string | undefined;
  if (isImported(exchange)) {
    const made = importedRecord(exchange, { changes: earlier, prices, redact: redactByRules });
    return importedRows(made, { exchange, erasures, redactionFailure }, interpreting);
  }
  const context: InterpretContext = {
    declaredNames,
    changes: earlier,
    prices,
    agentSessions,
    redact: redactByRules,
    checkThreat: checkingThreats(threatCheck, (failure) => (threatCheckFailure = failure)),
  };
  const { at, span, carriers } = logMetadataOf(exchange.open) ?? {};
  if (carriers !== undefined) return noRows(writers);
  const own = interpretExchange(exchange, context);
  if (span?.textsAlone !== undefined) return textsRows(own, { at, span, erasures, redactionFailure }, writers);
  const record = joinedRecord(own, joined, { reader: interpreting.reader, context });
  const completion = completionOf(exchange, { redact: redactByRules, prices });
  const awaited = awaitedResponseOf(exchange, record);
  const settlement = settledNow(settlementOf(exchange, record, prices), awaited);
  const erasure = erasureOf(erasures, { users: [exchange.open.tags.userId, record.userId], createdAt: record.createdAt });
  if (erasure !== undefined) return settlement === undefined ? { erasure: erasure.number } : { erasure: erasure.number, settlement };
  const { request, bodies, changes } = rowsOf(record, storedAt, { searchMaxBytes, writers });
  // TRICKY: no spread: it took longer than reading the exchange from the disk.
  return {
    request,
    bodies,
    changes,
    conversation: span === undefined ? conversationOf(record) : undefined,
    endedAt: at ?? record.responseCreatedAt,
    spend: spendOf(record),
    settlement,
    completion,
    awaited,
    told: toldBy(record, settings.seeksCalls === true),
    redactionFailure,
    threatCheckFailure,
  };
}

const hourMs = 3_600_000;

/** Of one user, so that an erasure removes all of it, and within an hour, since the store finds what a turn repeats by its hour and group. */
export function conversationOf({
  organizationId,
  createdAt,
  bodyGroup,
  userId,
  requestBody,
}: Pick<RequestRecord, 'organizationId' | 'createdAt' | 'bodyGroup' | 'userId' | 'requestBody'>): string | undefined {
  if (bodyGroup === 0n || requestBody.kind !== 'json') return undefined;
  return `${organizationId} ${Math.floor(createdAt / hourMs)} ${bodyGroup} ${userId}`;
}

/** Undefined without a check. @param onFailure told why it has no result. */
function checkingThreats(check: ThreatCheck | undefined, onFailure: (reason: string) => void): InterpretContext['checkThreat'] {
  if (check === undefined) return undefined;
  return (text) => {
    try {
      return check(text);
    } catch (error) {
      onFailure(messageOf(error));
      return null;
    }
  };
}

/** A later read may bring the amount: until then the budget counts it in full. */
function settledNow(settlement: BudgetSettlement | undefined, awaited: string | undefined): BudgetSettlement | undefined {
  return awaited !== undefined && settlement?.amount === undefined ? undefined : settlement;
}

function joinedRecord(
  own: RequestRecord,
  joined: JoinedTasks | undefined,
  { reader, context }: Pick<Interpreting, 'reader'> & { readonly context: InterpretContext },
): RequestRecord {
  if (joined === undefined) return own;
  const { others, counted } = joined;
  const records = others.map(({ settings, frames }) => {
    const exchange = exchangeOf(reader, { settings, frames });
    // A sender that was not told that it is on record sends it again.
    return isUnacknowledged(exchange) ? undefined : interpretExchange(exchange, { ...context, changes: [] });
  });
  const present = records.filter((record) => record !== undefined);
  return mergedRecord([own, ...present], (counted === 0 ? own : records[counted - 1]) ?? own);
}

function exchangeOf(reader: PayloadReader, { settings, frames }: Pick<InterpretTask, 'settings' | 'frames'>): Exchange {
  const payloads = reader.read(settings.seriesFolder, frames);
  return assembleExchange(frames.map((frame, index) => ({ frame, payload: payloads[index] ?? Buffer.alloc(0) })));
}

interface ToldTexts {
  /** When it came, Unix milliseconds. */
  readonly at: number | undefined;
  readonly span: SpanIdentity;
  readonly erasures: TaskSettings['erasures'];
  readonly redactionFailure: string | undefined;
}

/** What log records tell of a span waits in the history, which is stored as any; the record itself is none. */
function textsRows(
  { organizationId, requestId, createdAt, userId, requestBody, responseBody }: RequestRecord,
  { at = createdAt, span: { traceId, ids, keyId, textsAlone: number = 0 }, erasures, redactionFailure }: ToldTexts,
  writers: RowWriters,
): InterpretedRows | ErasedRecord {
  const erasure = erasureOf(erasures, { users: [userId], createdAt });
  if (erasure !== undefined) return { erasure: erasure.number };
  const [old, told] = [requestBody, responseBody].map((body) => (body.kind === 'json' ? body.text : ''));
  const name = textsName(traceId, ids[0] ?? '');
  const entry = {
    organizationId,
    requestId,
    keyId,
    acceptedAt: at,
    number,
    kind: waitingTexts,
    name,
    old: old ?? '',
    new: told ?? '',
  } as const;
  const entries = entry.old === '' && entry.new === '' ? [] : [entry];
  return { ...noRows(writers), changes: changeRows(entries, writers.changes), redactionFailure };
}

function noRows(writers: RowWriters): InterpretedRows {
  const none = writers.request.row(() => undefined);
  return { request: none, bodies: none, changes: none, endedAt: null };
}

/** @param isSought whether a span may have told of any call of the organisation. */
function toldBy(record: RequestRecord, isSought: boolean): InterpretedRows['told'] {
  const isOfSpan = record.spanLinks.includes(madeOfSpan);
  if (record.method !== 'POST' || !(isOfSpan || isSought)) return undefined;
  return {
    createdAt: record.createdAt,
    endedAt: record.responseCreatedAt ?? record.createdAt,
    provider: record.provider,
    models: [record.requestModel, record.responseModel],
    responseId: record.responseId,
    traceId: record.traceId,
    spanId: record.spanId,
    links: record.spanLinks,
    properties: isOfSpan ? record.properties : new Map(),
    details: isOfSpan ? callDetails(record) : undefined,
  };
}

interface ImportedOutcome {
  readonly exchange: Exchange;
  readonly erasures: TaskSettings['erasures'];
  readonly redactionFailure: string | undefined;
}

function importedRows(
  { record, updatedAt }: ImportedRecord,
  { exchange, erasures, redactionFailure }: ImportedOutcome,
  { searchMaxBytes, writers }: Interpreting,
): InterpretedExchange {
  const users = [exchange.open.tags.userId, record.userId];
  const erasure = erasureOf(erasures, { users, createdAt: record.createdAt });
  if (erasure !== undefined) return { erasure: erasure.number };
  const { request, bodies, changes } = rowsOf(record, updatedAt, { searchMaxBytes, writers });
  // Without an end: the time since the call is no delay of ours.
  return { request, bodies, changes, endedAt: null, redactionFailure };
}
