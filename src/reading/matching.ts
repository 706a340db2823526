import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FilterNode } from '../query/filter/ast.ts';
import type { FilterRecord, SessionFacts } from '../query/filter/memory/record.ts';
import { bodiesStatements } from '../query/requests/select.ts';
import type { SessionRow } from '../query/sessions/columns.ts';
import { type Decision, decide, filterRecordOf, noTexts, type TextsRow, textsRowColumns } from '../query/stream/record.ts';
import type { StreamRow } from '../query/stream/rows.ts';
import { factsOf, sessionFactsStatement } from '../query/stream/sessions.ts';
import { type BodyReading, type BodyTexts, readBodyRuns } from './body-runs.ts';
import { patiently } from './patiently.ts';

/** After so much work other calls have their turn. */
const maxSliceMs = 5;
/** The texts of a conversation are in its body too. */
const searched: BodyTexts = {
  statementsFor: (tenant, rows) => bodiesStatements(tenant, rows, 'short', textsRowColumns),
  timesPassed: 4,
};

/** A record that a filter has not decided yet. */
interface Open {
  readonly row: StreamRow;
  readonly filter: FilterNode;
}

/**
 * Decides which rows match which filters. Most filters decide by the row alone; texts and sessions are read only for the records that need
 * them, once for all filters. A session is what is stored of it now. @throws GatelogError, or the reason of the signal.
 */
export async function matchingRows(
  rows: readonly StreamRow[],
  filters: readonly FilterNode[],
  reading: BodyReading,
): Promise<ReadonlyMap<FilterNode, ReadonlySet<StreamRow>>> {
  const matching = new Matching(filters, reading);
  await matching.byRows(rows);
  await matching.bySessions();
  await matching.byTexts();
  return matching.matched;
}

class Matching {
  readonly matched: ReadonlyMap<FilterNode, Set<StreamRow>>;
  private readonly reading: BodyReading;
  private readonly facts = new Map<string, SessionFacts>();
  private readonly open: Readonly<Record<Exclude<Decision, boolean>, Open[]>> = { session: [], texts: [] };
  private sliceEndsAt: number;

  constructor(filters: readonly FilterNode[], reading: BodyReading) {
    this.matched = new Map(filters.map((filter) => [filter, new Set<StreamRow>()]));
    this.reading = reading;
    this.sliceEndsAt = reading.monotonic() + maxSliceMs;
  }

  async byRows(rows: readonly StreamRow[]): Promise<void> {
    for (const row of rows) {
      const record = filterRecordOf(row, undefined);
      for (const filter of this.matched.keys()) this.settle({ row, filter }, record);
      await this.endSlice();
    }
  }

  async bySessions(): Promise<void> {
    const waiting = this.open.session.splice(0);
    await this.readSessions(waiting);
    await this.settleAll(waiting, new Map());
  }

  async byTexts(): Promise<void> {
    const waiting = byRow(this.open.texts.splice(0));
    for await (const { rows, bodies } of readBodyRuns<StreamRow, TextsRow>(this.reading, [...waiting.keys()], searched)) {
      const read = new Map(rows.map((row) => [row, filterRecordOf(row, bodies.get(row.id) ?? noTexts)]));
      await this.settleAll(
        rows.flatMap((row) => waiting.get(row) ?? []),
        read,
      );
      const late = this.open.session.splice(0);
      await this.readSessions(late);
      await this.settleAll(late, read);
    }
  }

  private async settleAll(waiting: readonly Open[], records: ReadonlyMap<StreamRow, FilterRecord>): Promise<void> {
    for (const open of waiting) {
      this.settle(open, records.get(open.row) ?? filterRecordOf(open.row, undefined));
      await this.endSlice();
    }
  }

  private settle({ row, filter }: Open, record: FilterRecord): void {
    const decision = decide(filter, record, this.facts.get(row.session_id));
    if (decision === true) this.matched.get(filter)?.add(row);
    else if (decision !== false) this.open[decision].push({ row, filter });
  }

  private async readSessions(waiting: readonly Open[]): Promise<void> {
    const ids = new Set(waiting.map(({ row }) => row.session_id).filter((id) => !this.facts.has(id)));
    if (ids.size === 0) return;
    const { run, tenant, signal } = this.reading;
    const found = await patiently(this.reading, () => run<SessionRow>(sessionFactsStatement(tenant, [...ids]), signal));
    for (const row of found) this.facts.set(row.session_id, factsOf(row));
  }

  private async endSlice(): Promise<void> {
    if (this.reading.monotonic() < this.sliceEndsAt) return;
    await nextTurn(undefined, { signal: this.reading.signal });
    this.sliceEndsAt = this.reading.monotonic() + maxSliceMs;
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
