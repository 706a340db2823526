import { randomUUID } from 'node:crypto';
import { type JobOutcome, type JobOutcomes, type ListedRequest, noOutcomes, type TargetValues } from '../../model/jobs/job.ts';
import type { ChangeEntry } from '../../model/change.ts';
import type { RequestId } from '../../model/ids.ts';
import { bytesOfProperties } from '../../model/vocabulary/limits.ts';
import type { CompiledSql } from '../../sql/statement.ts';
import { type ChangeLog, noChangeLog } from '../read/change-log.ts';
import type { Connections } from '../engine/connections.ts';
import { storeFailure } from '../engine/failure.ts';
import { readRows } from '../engine/statements.ts';
import { changeRows } from '../insert/change-rows.ts';
import { makeInsertRows } from '../insert/insert.ts';
import { updateSettings, withRetries, writePatch } from '../update/change.ts';
import type { PendingPatches } from '../update/pending-patches.ts';
import { decide, type Decision, type FoundRequest, totalWith } from './decide.ts';
import { type JobKey, type ListedRow, listedRequest, nextListed, requestIdOf, type UndoneJob } from './list.ts';
import {
  type BulkRow,
  bulkUpdateStatement,
  type HistoryRow,
  historyStatement,
  rowsStatement,
  type SessionChangeRow,
  sessionChangesStatement,
  sizesStatement,
  type SizeRow,
} from './statements.ts';

/** A running job as the store needs it. */
export interface BulkJob extends JobKey {
  readonly keyId: string;
  /** What each request gets, or the job whose changes are undone. */
  readonly change:
    | { readonly targets: TargetValues }
    /** `undos`: of each undo of the organisation, its number and that of the job that it undid. */
    | { readonly undoes: UndoneJob; readonly undos: ReadonlyMap<number, number> };
}

/** The result of one chunk; `reached` is null when nothing was left. */
export interface ChunkResult {
  readonly reached: ListedRequest | null;
  readonly outcomes: JobOutcomes;
  /** Requests that the job changed, by this call or by one that was interrupted. */
  readonly changed: readonly ListedRequest[];
}

/**
 * Changes the next listed requests; durable and visible to every later read on return, and repeatable.
 *
 * Invariant: no other change of the organisation's properties runs meanwhile (`ingest/changes/organization-lock.ts`).
 * @param log gets the requests before they are changed.
 * @throws GatelogError when the store fails.
 */
export type ChangeNext = (job: BulkJob, after: ListedRequest | null, log?: ChangeLog) => Promise<ChunkResult>;

/** Requests of a chunk, and bytes of what is read and written of them. */
export interface ChunkLimits {
  readonly requests: number;
  readonly bytes: number;
}

const defaultLimits: ChunkLimits = { requests: 2000, bytes: 4 * 1024 * 1024 };
/** Bytes of a patch per row, beside its properties. */
const otherBytesOfPatch = 256;

export function makeChangeNext(connections: Connections, patches: PendingPatches, limits: ChunkLimits = defaultLimits): ChangeNext {
  const read = <Row>(statement: CompiledSql): Promise<readonly Row[]> => readRows<Row>(connections, 'update', statement, updateSettings);
  return async (job, after, log = noChangeLog) => {
    try {
      const listed = (await read<ListedRow>(nextListed(job, after, limits.requests))).map(listedRequest);
      if (listed.length === 0) return { reached: null, outcomes: noOutcomes, changed: [] };
      const requests = await fitting(read, job, { listed, maxBytes: limits.bytes });
      const found = await find(read, job, requests);
      const changed = found.filter(({ decision }) => decision.outcome === 'changed').map(({ request }) => request);
      await log.during(job.organizationId, changed, () => write({ connections, patches }, job, found));
      return { reached: requests.at(-1) ?? null, outcomes: outcomesOf(requests, found), changed };
    } catch (error) {
      throw storeFailure(error);
    }
  };
}

type Read = <Row>(statement: CompiledSql) => Promise<readonly Row[]>;

/** The number from which on changes of the requests matter. */
function sinceOf({ number, change }: BulkJob): number {
  return 'undoes' in change ? change.undoes.number : number;
}

interface Candidates {
  readonly listed: readonly ListedRequest[];
  readonly maxBytes: number;
}

/** The first of them that one chunk may hold, at least one. */
async function fitting(read: Read, job: BulkJob, { listed, maxBytes }: Candidates): Promise<readonly ListedRequest[]> {
  const sizes = await read<SizeRow>(sizesStatement(job, listed, sinceOf(job)));
  const bytesById = new Map(sizes.map(({ id, bytes }) => [requestIdOf(id), Number(bytes)]));
  const written = 'undoes' in job.change ? 0 : bytesOfTargets(job.change.targets);
  let bytes = 0;
  const end = listed.findIndex(({ requestId }, index) => {
    bytes += written + (bytesById.get(requestId) ?? 0);
    return index > 0 && bytes > maxBytes;
  });
  return end === -1 ? listed : listed.slice(0, end);
}

function bytesOfTargets(targets: TargetValues): number {
  return bytesOfProperties(new Map([...targets].map(([name, value]) => [name, value ?? ''])));
}

/** A stored request with what the job does to it. */
interface Found {
  readonly request: ListedRequest;
  readonly before: FoundRequest;
  readonly decision: Decision;
}

async function find(read: Read, job: BulkJob, requests: readonly ListedRequest[]): Promise<readonly Found[]> {
  const since = sinceOf(job);
  const history = groupedById(await read<HistoryRow>(historyStatement(job, requests, since)));
  const names = namesOf(job, [...history.values()].flat());
  const rows = await read<BulkRow>(rowsStatement(job, requests, names, since));
  const sessions = await sessionChangesOf(read, job, rows);
  const rowById = new Map(rows.map((row) => [requestIdOf(row.id), row]));
  return requests.flatMap((request) => {
    const row = rowById.get(request.requestId);
    if (row === undefined) return [];
    const entries = history.get(request.requestId) ?? [];
    const changes = [...entries, ...row.session_numbers.flatMap((number) => sessions.get(String(number)) ?? [])];
    const before: FoundRequest = {
      values: presentOf(names, row.old_values),
      total: { count: Number(row.property_count), bytes: Number(row.property_bytes) },
      own: new Set(entries.filter(({ number }) => Number(number) === job.number).map(({ name }) => name)),
      later: latestOf(
        changes.filter(({ number }) => ![job.number, since].includes(Number(number))),
        'undoes' in job.change ? job.change.undos : new Map(),
      ),
    };
    return [{ request, before, decision: decide(before, targetsFor(job, entries)) }];
  });
}

function namesOf({ change }: BulkJob, history: readonly HistoryRow[]): readonly string[] {
  if ('targets' in change) return [...change.targets.keys()];
  const { number: undone } = change.undoes;
  return [...new Set(history.filter(({ number }) => Number(number) === undone).map(({ name }) => name))];
}

/** For an undo, the values before the undone job. */
function targetsFor({ change }: BulkJob, entries: readonly HistoryRow[]): TargetValues {
  if ('targets' in change) return change.targets;
  const undone = entries.filter(({ number }) => Number(number) === change.undoes.number);
  return new Map(undone.map(({ name, old }) => [name, valueOf(old)]));
}

async function sessionChangesOf(
  read: Read,
  job: BulkJob,
  rows: readonly BulkRow[],
): Promise<ReadonlyMap<string, readonly SessionChangeRow[]>> {
  const numbers = [...new Set(rows.flatMap(({ session_numbers: own }) => own.map(String)))];
  if (numbers.length === 0) return new Map();
  const found = await read<SessionChangeRow>(sessionChangesStatement(job, numbers.map(BigInt)));
  return new Map(numbers.map((number) => [number, found.filter((row) => String(row.number) === number)]));
}

/** The value after the last change of each name. A change and its undo, with nothing between, count as none. */
function latestOf(changes: readonly SessionChangeRow[], undos: ReadonlyMap<number, number>): TargetValues {
  const standing = new Map<string, SessionChangeRow[]>();
  for (const change of changes.toSorted((left, right) => Number(left.number) - Number(right.number))) {
    const own = standing.get(change.name) ?? [];
    standing.set(change.name, own);
    const last = own.at(-1);
    if (last !== undefined && undos.get(Number(change.number)) === Number(last.number)) own.pop();
    else own.push(change);
  }
  return new Map(
    [...standing].flatMap(([name, own]): [string, string | null][] => {
      const last = own.at(-1);
      return last === undefined ? [] : [[name, valueOf(last.new)]];
    }),
  );
}

/** A property's value in the history: a text or null. */
function valueOf(json: string): string | null {
  return JSON.parse(json) as string | null;
}

interface Writing {
  readonly connections: Connections;
  readonly patches: PendingPatches;
}

/** Invariant: the history is written before the rows, as for every change. */
async function write({ connections, patches }: Writing, job: BulkJob, found: readonly Found[]): Promise<void> {
  const entries = found.flatMap(({ request, decision }) => decision.entries.map((entry) => entryOf(job, request.requestId, entry)));
  const insert = makeInsertRows(connections, 'history');
  const token = `job-${job.number}-${randomUUID()}`;
  if (entries.length > 0) await withRetries(() => insert('changes', [changeRows(entries)], token));
  const written = found.filter(({ decision }) => decision.writes.size > 0);
  if (written.length === 0) return;
  const bytes = written.reduce((sum, { before, decision }) => sum + totalWith(before, decision.writes).bytes + otherBytesOfPatch, 0);
  const update = bulkUpdateStatement(
    job,
    written.map(({ request, decision }) => ({ request, writes: decision.writes })),
  );
  await writePatch({ connections, patches }, update, bytes);
}

function entryOf(
  { organizationId, number, startedAt, keyId }: BulkJob,
  requestId: RequestId,
  entry: Pick<ChangeEntry, 'name' | 'old' | 'new'>,
): ChangeEntry {
  return { organizationId, requestId, keyId, number, acceptedAt: startedAt, kind: 'property', ...entry };
}

function outcomesOf(requests: readonly ListedRequest[], found: readonly Found[]): JobOutcomes {
  const count = (outcome: JobOutcome): number => found.filter(({ decision }) => decision.outcome === outcome).length;
  return {
    changed: count('changed'),
    unchanged: count('unchanged'),
    changed_since: count('changed_since'),
    refused: count('refused'),
    gone: requests.length - found.length,
  };
}

function groupedById(rows: readonly HistoryRow[]): ReadonlyMap<RequestId, readonly HistoryRow[]> {
  const groups = new Map<RequestId, HistoryRow[]>();
  for (const row of rows) {
    const id = requestIdOf(row.id);
    const own = groups.get(id);
    if (own === undefined) groups.set(id, [row]);
    else own.push(row);
  }
  return groups;
}

function presentOf(names: readonly string[], values: readonly (string | null)[]): ReadonlyMap<string, string> {
  return new Map(
    names.flatMap((name, index): [string, string][] => {
      const value = values[index];
      return value === undefined || value === null ? [] : [[name, value]];
    }),
  );
}
