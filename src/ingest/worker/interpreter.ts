import type { AcceptedChange } from '../../model/change.ts';
import { messageOf } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { RedactionRule } from '../../model/redaction-rule.ts';
import type { UsageCompletion } from '../../model/record/usage-completion.ts';
import { isSystemError } from '../../platform/files.ts';
import type { OrganizationPrices } from '../../pricing/organization-prices.ts';
import type { PriceBook } from '../../pricing/price-book.ts';
import { PayloadReader } from '../../spool/payload-reader.ts';
import type { FrameLocation } from '../../spool/spool.ts';
import type { RowMemory } from '../../store/insert/buffer-pool.ts';
import { newRowWriters, type RecordRows, rowsOf, type RowWriters } from '../../store/insert/rows.ts';
import { assembleExchange } from '../interpret/assemble.ts';
import { type ErasedUser, erasureOf } from '../erasures.ts';
import { interpretExchange } from '../interpret/interpret.ts';
import { awaitedResponseOf, completionOf } from '../completions/read.ts';
import type { RecordTexts } from '../interpret/record-texts.ts';
import type { BoundedRedactor } from '../redaction/bounded.ts';
import { type BudgetSettlement, settlementOf } from '../interpret/settlement.ts';
import type { ThreatCheck } from '../threats/patterns.ts';

/** What exchanges of one organisation in one series have in common. */
export interface TaskSettings {
  readonly seriesFolder: string;
  /** Whose they are: what is read from the spool has to be this organisation's. */
  readonly organizationId: OrganizationId;
  /** Declared names of the organisation by lower-case name; undefined when there are none. */
  readonly declaredNames: ReadonlyMap<string, string> | undefined;
  /** Redaction rules of the organisation; undefined when there are none. */
  readonly redactionRules: readonly RedactionRule[] | undefined;
  /** Prices that the organisation has stored. */
  readonly organizationPrices: OrganizationPrices;
  /** Users of the organisation whose records are not to be stored. */
  readonly erasures?: readonly ErasedUser[] | undefined;
}

/** One exchange to be read from the spool and interpreted. Plain data: it crosses into a thread. */
export interface InterpretTask {
  /** The same object for all that have them in common. */
  readonly settings: TaskSettings;
  readonly frames: readonly FrameLocation[];
  /** Changes that came before the record, oldest first. */
  readonly changes: readonly AcceptedChange[];
}

/** What holds for every exchange. */
export interface InterpreterParts {
  readonly book: PriceBook;
  readonly redactions: BoundedRedactor;
  /** Bytes of a body's text that filters look at. */
  readonly searchMaxBytes?: number | undefined;
  /** The operator's own, in place of the built-in one. It may throw. */
  readonly threatCheck?: ThreatCheck | undefined;
}

/** Rows for the tables, and what is to be settled once they are there. */
export interface InterpretedRows extends RecordRows {
  /** When the exchange ended, Unix milliseconds; null where that is not known. */
  readonly endedAt: number | null;
  readonly settlement?: BudgetSettlement | undefined;
  /** What a read of a finished response brought. */
  readonly completion?: UsageCompletion | undefined;
  /** The response whose usage a later read may bring, as `responseKeyOf` names it. */
  readonly awaited?: string | undefined;
  /** Why the redaction rules could not be applied, so that what they look at was left out. */
  readonly redactionFailure?: string | undefined;
  /** Why the operator's threat check said nothing. */
  readonly threatCheckFailure?: string | undefined;
}

/** What is left of a record that an erasure takes out: the number of that, and what is to be settled all the same. */
export interface ErasedRecord {
  readonly erasure: number;
  readonly settlement?: BudgetSettlement | undefined;
}

/** Rows for the tables, or why there are none. `shortage`: this process lacked something just now, the exchange is not at fault. */
export type InterpretedExchange = InterpretedRows | ErasedRecord | { readonly failure: string } | { readonly shortage: string };

/** The results of a batch, in the order of its tasks. Disposal returns the memory of their rows, which cannot be read any more then. */
export interface Interpretation extends Disposable {
  readonly results: readonly InterpretedExchange[];
}

/**
 * Interprets a batch. The caller owns the interpretation and disposes of it.
 * @param storedAt Unix milliseconds written as the rows' `updated_at`.
 * @throws InterpreterCrashed when one exchange of the batch was too much for the thread, InterpreterStopped when all together were.
 */
export type Interpret = (tasks: readonly InterpretTask[], storedAt: number) => Promise<Interpretation>;

/** The interpreter crashed, or did not finish, on a batch. */
export class InterpreterCrashed extends Error {
  override readonly name = 'InterpreterDied';
}

/** The interpreter stopped in the middle of a batch, which takes more time or memory than one may. */
export class InterpreterStopped extends Error {
  override readonly name = 'InterpreterStopped';
  /** Exchanges that it interpreted, at least one and not all. */
  readonly through: number;

  constructor(through: number) {
    super(`the interpreter came through ${through} of them in the time and memory that a batch may take`);
    this.through = through;
  }
}

const otherOrganization = 'the exchange is of another organisation than it was taken for';
const noNames: ReadonlyMap<string, string> = new Map();
const shortages = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/** What holds for one batch. */
export interface BatchParts extends InterpreterParts {
  /** Unix milliseconds written as the rows' `updated_at`. */
  readonly storedAt: number;
  /** Where the memory of the rows comes from. */
  readonly memory?: RowMemory;
}

/** Interprets a batch, one exchange after the other; whatever goes wrong with one is a value, so that a poisoned one stops nothing. */
export function* interpretTasks(tasks: Iterable<InterpretTask>, parts: BatchParts): Generator<InterpretedExchange, void> {
  const reader = new PayloadReader();
  const interpreting: Interpreting = { ...parts, writers: newRowWriters(parts.memory), reader };
  try {
    for (const task of tasks) yield interpretTask(task, interpreting);
  } finally {
    reader.close();
  }
}

/** What one batch may become and take. One exchange is interpreted whatever it becomes. */
export interface BatchBounds {
  readonly maxRowBytes: number;
  readonly maxMs: number;
  /** Milliseconds that never step back. */
  readonly monotonic: () => number;
}

/** What came of a batch, as far as it stays within bounds: behind an exchange with which it does not, nothing follows. */
export function* withinBounds(results: Iterable<InterpretedExchange>, bounds: BatchBounds): Generator<InterpretedExchange, void> {
  const { maxRowBytes, maxMs, monotonic } = bounds;
  const startedAt = monotonic();
  let rowBytes = 0;
  for (const result of results) {
    if ('request' in result) rowBytes += result.request.length + result.bodies.length + result.changes.length;
    yield result;
    if (rowBytes > maxRowBytes || monotonic() - startedAt > maxMs) return;
  }
}

interface Interpreting extends BatchParts {
  /** Where the rows of the batch are written. */
  readonly writers: RowWriters;
  readonly reader: PayloadReader;
}

function interpretTask({ settings, frames, changes: earlier }: InterpretTask, interpreting: Interpreting): InterpretedExchange {
  const { declaredNames = noNames, redactionRules, organizationPrices, erasures } = settings;
  const { book, storedAt, searchMaxBytes, writers, reader, redactions, threatCheck } = interpreting;
  try {
    const payloads = reader.read(settings.seriesFolder, frames);
    const exchange = assembleExchange(frames.map((frame, index) => ({ frame, payload: payloads[index] ?? Buffer.alloc(0) })));
    // Another organisation's rules, prices and erasures would not hold for it.
    if (exchange.open.organizationId !== settings.organizationId) return { failure: otherOrganization };
    const prices = { book, organization: organizationPrices };
    let redactionFailure: string | undefined;
    const redact = (rules: readonly RedactionRule[], written: RecordTexts): RecordTexts => {
      const { texts, failure } = redactions.apply(exchange.open.organizationId, rules, written);
      redactionFailure ??= failure;
      return texts;
    };
    let threatCheckFailure: string | undefined;
    const checkThreat = (check: ThreatCheck, text: string): boolean | null => {
      try {
        return check(text);
      } catch (error) {
        threatCheckFailure = messageOf(error);
        return null;
      }
    };
    const redactByRules = redactionRules === undefined ? undefined : (written: RecordTexts) => redact(redactionRules, written);
    const record = interpretExchange(exchange, {
      declaredNames,
      changes: earlier,
      prices,
      redact: redactByRules,
      checkThreat: threatCheck === undefined ? undefined : (text) => checkThreat(threatCheck, text),
    });
    const completion = completionOf(exchange, { redact: redactByRules, prices });
    const awaited = awaitedResponseOf(exchange, record);
    const settled = settlementOf(exchange, record, prices);
    // What a later read may tell is not given up: until then it stays counted in full all the same.
    const settlement = awaited !== undefined && settled?.amount === undefined ? undefined : settled;
    const erasure = erasureOf(erasures, { users: [exchange.open.tags.userId, record.userId], createdAt: record.createdAt });
    if (erasure !== undefined) return settlement === undefined ? { erasure: erasure.number } : { erasure: erasure.number, settlement };
    const { request, bodies, changes } = rowsOf(record, storedAt, { searchMaxBytes, writers });
    // TRICKY: every member by name, as spreads here took longer than reading the exchange from the disk.
    return {
      request,
      bodies,
      changes,
      endedAt: record.responseCreatedAt,
      settlement,
      completion,
      awaited,
      redactionFailure,
      threatCheckFailure,
    };
  } catch (error) {
    if (isSystemError(error) && shortages.has(error.code ?? '')) return { shortage: error.message };
    return { failure: messageOf(error) };
  }
}
