import { messageOf } from '../model/errors.ts';
import { SharedSlices } from '../platform/bounds/shared-slices.ts';
import type { FilterNode } from '../query/filter/ast.ts';
import type { FilterRecord, SessionAggregates } from '../query/filter/record.ts';
import { type Steps, Work } from '../query/filter/memory/texts/work.ts';
import { bodiesStatements } from '../query/requests/select.ts';
import type { SessionRow } from '../query/sessions/columns.ts';
import { type Decision, decide, filterRecordOf, noTexts, type TextsRow, textsRowColumns } from '../query/stream/record.ts';
import type { StreamRow } from '../query/stream/rows.ts';
import { aggregatesOf, sessionAggregatesStatement } from '../query/stream/sessions.ts';
import { type BodyReading, type BodyTexts, type FilterBounds, readBodyRuns } from './body-runs.ts';
import type { ReadPage } from './pages.ts';
import { patiently } from './patiently.ts';

/**
 * What a filter may do to decide about one record, units of `Work`: about half a second of a core, which some 500 conditions on a text of a
 * megabyte take.
 */
const maxWorkOfRecord = 512 * 1024 * 1024;

/** Of all filters on a page, which ends behind the record with which it is reached: no reading holds its turn and its page for long. */
const maxWorkOfPage = 2 * maxWorkOfRecord;

const standardBounds: FilterBounds = { ofRecord: maxWorkOfRecord, ofPage: maxWorkOfPage };

/** Filters decide on the loop of the whole process, whoever asks; `docs/internals/decisions/0021-filters-in-memory.md` has the reasons. */
const slices = new SharedSlices();

/** The texts of a conversation are in its body too. */
const searched: BodyTexts = {
  statementsFor: (tenant, rows) => bodiesStatements(tenant, rows, 'short', textsRowColumns),
  timesPassed: 4,
};

/** What became of some records under a filter. */
export interface FilterResult {
  readonly matched: ReadonlySet<StreamRow>;
  /** The records about which the filter could not decide, and why, to be read behind a colon. */
  readonly passedBy: ReadonlyMap<StreamRow, string>;
}

/** Records in their order, and what became of them. */
export interface Matched {
  /** The first ones, at least one: the others have to be read again. */
  readonly rows: readonly StreamRow[];
  readonly results: ReadonlyMap<FilterNode, FilterResult>;
}

/** A record that a filter has not decided yet. */
interface Open {
  readonly row: StreamRow;
  readonly filter: FilterNode;
  readonly work: Work;
}

/**
 * Decides which rows match which filters. Most filters decide by the row alone; texts and sessions are read only for the records that need
 * them, once for all filters. A session is what is stored of it now. A filter that fails on a record, or does more work than it may, passes
 * that record by. Rows that cost much are decided a few at a time. @throws GatelogError, or the reason of the signal.
 */
export async function matchingRows(rows: readonly StreamRow[], filters: readonly FilterNode[], reading: BodyReading): Promise<Matched> {
  const matching = new Matching(rows, filters, reading);
  await matching.byRows();
  await matching.bySessions();
  await matching.byTexts();
  return { rows: matching.decided, results: matching.results };
}

/** Up to where a page was decided: to its end, or behind the last row that was. */
export function decidedThrough(page: ReadPage, { rows }: Matched): number {
  const last = rows.at(-1);
  return rows.length === page.rows.length || last === undefined ? page.through : last.stored_number;
}

class Matching {
  readonly results: ReadonlyMap<FilterNode, { readonly matched: Set<StreamRow>; readonly passedBy: Map<StreamRow, string> }>;
  private readonly reading: BodyReading;
  private readonly bounds: FilterBounds;
  private readonly rows: ReadonlyMap<StreamRow, number>;
  /** Rows from here on are not decided. */
  private end: number;
  private spent = 0;
  private readonly aggregates = new Map<string, SessionAggregates>();
  private readonly open: Readonly<Record<Exclude<Decision, boolean>, Open[]>> = { session: [], texts: [] };

  constructor(rows: readonly StreamRow[], filters: readonly FilterNode[], reading: BodyReading) {
    this.results = new Map(filters.map((filter) => [filter, { matched: new Set(), passedBy: new Map() }]));
    this.reading = reading;
    this.bounds = reading.filterBounds ?? standardBounds;
    this.rows = new Map(rows.map((row, index) => [row, index]));
    this.end = rows.length;
  }

  get decided(): readonly StreamRow[] {
    return [...this.rows.keys()].slice(0, this.end);
  }

  async byRows(): Promise<void> {
    await this.inSlices(this.decideRows());
  }

  async bySessions(): Promise<void> {
    const waiting = this.open.session.splice(0);
    await this.readSessions(waiting);
    await this.settleAll(waiting, new Map());
  }

  async byTexts(): Promise<void> {
    const waiting = byRow(this.open.texts.splice(0).toSorted((left, right) => this.indexOf(left.row) - this.indexOf(right.row)));
    for await (const { rows, bodies } of readBodyRuns<StreamRow, TextsRow>(this.reading, [...waiting.keys()], searched)) {
      const read = new Map(rows.map((row) => [row, filterRecordOf(row, bodies.get(row.id) ?? noTexts)]));
      await this.settleAll(
        rows.flatMap((row) => waiting.get(row) ?? []),
        read,
      );
      const late = this.open.session.splice(0);
      await this.readSessions(late);
      await this.settleAll(late, read);
      this.endBehind(rows.at(-1));
      if (this.end <= this.indexOf(rows.at(-1)) + 1) break;
    }
  }

  private async settleAll(waiting: readonly Open[], records: ReadonlyMap<StreamRow, FilterRecord>): Promise<void> {
    if (waiting.length > 0) await this.inSlices(this.decideWaiting(waiting, records));
  }

  /** Runs steps in turns with the work of other organisations. */
  private async inSlices(steps: Steps<void>): Promise<void> {
    const { tenant, signal } = this.reading;
    await slices.run(tenant, signal, async (turn) => {
      while (steps.next().done !== true) if (turn.isDue()) await turn.giveWay();
    });
  }

  private *decideRows(): Steps<void> {
    for (const row of this.rows.keys()) {
      if (this.isOver(row)) return;
      const record = filterRecordOf(row, undefined);
      for (const filter of this.results.keys()) {
        yield* this.settle({ row, filter, work: new Work(this.bounds.ofRecord) }, record);
        yield;
      }
    }
  }

  private *decideWaiting(waiting: readonly Open[], records: ReadonlyMap<StreamRow, FilterRecord>): Steps<void> {
    for (const open of waiting) {
      if (this.isOver(open.row)) return;
      yield* this.settle(open, records.get(open.row) ?? filterRecordOf(open.row, undefined));
      yield;
    }
  }

  /** Whether the page ends in front of a row, because of the work on those before it. */
  private isOver(row: StreamRow): boolean {
    const index = this.indexOf(row);
    if (index > 0 && this.spent > this.bounds.ofPage) this.end = Math.min(this.end, index);
    return index >= this.end;
  }

  /** Ends the page behind a row if the work on it and those before it was enough. */
  private endBehind(row: StreamRow | undefined): void {
    if (this.spent > this.bounds.ofPage) this.end = Math.min(this.end, this.indexOf(row) + 1);
  }

  private indexOf(row: StreamRow | undefined): number {
    return (row && this.rows.get(row)) ?? 0;
  }

  private *settle(open: Open, record: FilterRecord): Steps<void> {
    const { row, filter, work } = open;
    const result = this.results.get(filter);
    const before = work.spent;
    try {
      const decision = yield* decide(filter, record, this.aggregates.get(row.session_id), work);
      if (decision === true) result?.matched.add(row);
      else if (decision !== false) this.open[decision].push(open);
    } catch (error) {
      result?.passedBy.set(row, messageOf(error));
    } finally {
      this.spent += work.spent - before;
    }
  }

  private async readSessions(waiting: readonly Open[]): Promise<void> {
    const ids = new Set(waiting.map(({ row }) => row.session_id).filter((id) => !this.aggregates.has(id)));
    if (ids.size === 0) return;
    const { run, tenant, signal } = this.reading;
    const found = await patiently(this.reading, () => run<SessionRow>(sessionAggregatesStatement(tenant, [...ids]), signal));
    for (const row of found) this.aggregates.set(row.session_id, aggregatesOf(row));
  }
}

function byRow(opens: readonly Open[]): ReadonlyMap<StreamRow, readonly Open[]> {
  const groups = new Map<StreamRow, Open[]>();
  for (const open of opens) {
    const group = groups.get(open.row);
    if (group === undefined) groups.set(open.row, [open]);
    else group.push(open);
  }
  return groups;
}
