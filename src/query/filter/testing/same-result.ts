import { asyncProperty, check } from 'fast-check';
import type { OrganizationId } from '../../../model/ids.ts';
import { sessionProperties } from '../../../model/vocabulary/session-properties.ts';
import type { Statement } from '../../../sql/statement.ts';
import { makeMoveBodies } from '../../../store/move/move-bodies.ts';
import { derivedTexts } from '../../../sql/derived-texts.ts';
import { makeChangeStored } from '../../../store/update/change.ts';
import type { Connections } from '../../../store/engine/connections.ts';
import { makeInsertRows } from '../../../store/insert/insert.ts';
import { makeRunStatement, runUntilRows } from '../../../store/read/run-statement.ts';
import { makeChangeStoredSession } from '../../../store/update/session-changes.ts';
import { makeSetSessionTag } from '../../../store/update/session-tags.ts';
import { numberRow } from '../../../store/insert/row-key.ts';
import { rowsOf } from '../../../store/insert/rows.ts';
import { inOrder, type OrderTerm } from '../../testing/order-harness.ts';
import { legacyDialect, planRequests, type RequestsDialect, type RequestsPlan } from '../../requests/query.ts';
import type { RequestFlags } from '../../requests/selection.ts';
import { pageStatements } from '../../requests/select.ts';
import { matches } from '../memory/interpret.ts';
import { changed, nastyChanges, nastyRecords, nastyTags, type StoredRecord } from './nasty-records.ts';
import { type RandomQuery, randomQueries } from './random-queries.ts';
import type { Subject } from '../memory/readers.ts';
import { type FilterRecord, type SessionAggregates, sessionAggregatesOf } from '../record.ts';
import { smallestFailing } from './smallest-query.ts';

/** Owns the records of a {@link World}. */
export const organization = '0197b000-0000-7000-8000-00000000000a' as OrganizationId;
/** Has other records under sessions and names of the same kind; none of them may be seen. */
const stranger = '0197b000-0000-7000-8000-00000000000b' as OrganizationId;

const recordCount = 48;
const tagCount = 6;
const sessionChangeCount = 8;
const changeCount = 14;
const smallPart = 8;
/** Records that are merged into one part before the others come. */
const mergedCount = 30;

/** The store as a series of states goes through it, with the records that it holds as the interpreter sees them. */
export interface World {
  readonly connections: Connections;
  readonly seed: number;
  readonly records: readonly StoredRecord[];
  /** Tags by session. */
  readonly tags: ReadonlyMap<string, string>;
}

/** A way in which the same records may lie in the store. Each state is entered from the one before it. */
interface StoreState {
  readonly name: string;
  readonly enter: (world: World) => Promise<World>;
}

/** The states, in the order in which a store comes into them. */
const storeStates: readonly StoreState[] = [
  {
    name: 'one part',
    enter: async (world) => {
      await empty(world);
      await store(world, world.records, recordCount);
      return tag({ ...world, tags: new Map() }, world.seed + 1);
    },
  },
  {
    name: 'many parts',
    enter: async (world) => {
      await empty(world);
      await store(world, world.records, smallPart);
      return tag({ ...world, tags: new Map() }, world.seed + 2);
    },
  },
  { name: 'updates pending', enter: async (world) => tag(await change(world, world.seed + 1), world.seed + 3) },
  {
    // Some records in one part, with what was updated before and after it was made, and others in small parts.
    name: 'partly merged',
    enter: async (world) => {
      const [early, late] = [world.records.slice(0, mergedCount), world.records.slice(mergedCount)];
      await empty(world);
      await store(world, early, smallPart);
      const { records } = await change({ ...world, records: early }, world.seed + 2);
      await merge(world);
      await store(world, late, smallPart);
      return change(await tag({ ...world, records: [...records, ...late], tags: new Map() }, world.seed + 4), world.seed + 3);
    },
  },
  {
    // Whole sessions are rewritten over updates that wait, and single records updated once more.
    name: 'sessions rewritten',
    enter: async (world) => {
      await command(world, 'SYSTEM START MERGES requests');
      const rewritten = await changeSessions(world, world.seed + 5);
      await command(world, 'SYSTEM STOP MERGES requests');
      return change(rewritten, world.seed + 6);
    },
  },
  {
    name: 'folded in',
    enter: async (world) => {
      // It would wait for ever while nothing may merge.
      await command(world, 'SYSTEM START MERGES requests', 'ALTER TABLE requests APPLY PATCHES SETTINGS mutations_sync = 1');
      await merge(world);
      return world;
    },
  },
  {
    // Some bodies are in their place, others where an earlier version put them.
    name: 'bodies half moved',
    enter: async (world) => {
      const columns =
        'org_id, created_at, request_id, request_kind, request_body, request_rest, response_kind, response_body, response_rest';
      const texts = [derivedTexts.prompt, derivedTexts.last_user, derivedTexts.completion].map(({ pieces }) => pieces.map(String).join(''));
      await command(
        world,
        `INSERT INTO bodies_before (${columns}, prompt_text, last_user_text, completion_text) SELECT ${columns}, ${texts.join(', ')} FROM bodies`,
        'TRUNCATE TABLE bodies',
      );
      const moveBodies = makeMoveBodies(world.connections, { maxQueryMs: 0, chunkRows: 1 });
      const bodies = await moveBodies.open();
      for (let moved = 0; moved < bodies / 2;) moved += (await moveBodies.step(AbortSignal.timeout(60_000))) ?? bodies;
      return world;
    },
  },
];

/** How many queries were compared in a state, and how many of them had an answer that was neither nothing nor everything. */
export interface StateReport {
  readonly state: string;
  readonly seed: number;
  readonly queries: number;
  readonly telling: number;
  /** A query on which the two differ, with both answers, made as small as it goes; null when they are one. */
  readonly mismatch: string | null;
}

/** How many queries are compared in a state, and the seed that they are made from. */
export interface Runs {
  readonly runs: number;
  readonly seed: number;
}

/** Compares the store's answers with others in one state. */
export type Comparison = (world: World, runs: Runs) => Promise<Pick<StateReport, 'queries' | 'telling' | 'mismatch'>>;

/**
 * Compares in every state of a store with records made from a seed, on so many queries each.
 * The seed makes the records, the updates and the queries: the same seed gives the same run.
 */
export async function* inEveryState(connections: Connections, compare: Comparison, { runs, seed }: Runs): AsyncGenerator<StateReport> {
  let index = 0;
  for await (const { state, world } of worldsInEveryState(connections, seed)) {
    yield { state, seed, ...(await compare(world, { runs, seed: seed + index })) };
    index += 1;
  }
}

/** The store with records made from a seed, in every state. */
export async function* worldsInEveryState(
  connections: Connections,
  seed: number,
): AsyncGenerator<{ readonly state: string; readonly world: World }> {
  let world: World = { connections, seed, records: nastyRecords(organization, recordCount, seed).map(priced), tags: new Map() };
  for (const { name, enter } of storeStates) {
    world = await enter(world);
    yield { state: name, world };
  }
}

/** Compares with the interpreter. */
export const compareFilters: Comparison = async (world, { runs, seed }) => {
  const sessions = sessionsOf(world);
  const subjects = world.records.map((record) => ({ record, session: sessions.get(record.sessionId) ?? null }));
  const differenceOn = async (query: RandomQuery): Promise<string | null> =>
    differenceOf(world, planOf(query), orderedAnswer(world, subjects, query));
  let telling = 0;
  const details = await check(
    asyncProperty(randomQueries(subjects), async (query) => {
      const { length } = answerOf(subjects, planOf(query));
      if (length > 0 && length < subjects.length) telling += 1;
      return (await differenceOn(query)) === null;
    }),
    { numRuns: runs, seed },
  );
  const [found] = details.counterexample ?? [];
  if (found === undefined) return { queries: details.numRuns, telling, mismatch: details.failed ? String(details.errorInstance) : null };
  const smallest = await smallestFailing(found, async (query) => (await differenceOn(query)) !== null);
  const mismatch = `seed ${seed}, path ${details.counterexamplePath}: ${textOf(smallest)}\n${await differenceOn(smallest)}`;
  return { queries: details.numRuns, telling, mismatch };
};

interface StoredSubject extends Subject {
  readonly record: StoredRecord;
}

/** The records that the interpreter keeps, in no order. */
function answerOf(subjects: readonly StoredSubject[], plan: RequestsPlan): readonly StoredRecord[] {
  return subjects.filter((subject) => isKept(subject, plan)).map(({ record }) => record);
}

/** The identifiers of the page as the interpreter and the order of reference have it. */
function orderedAnswer(world: World, subjects: readonly StoredSubject[], query: RandomQuery): readonly string[] {
  const plan = planOf(query);
  const ordered = inOrder(answerOf(subjects, plan), query.sort, world.records);
  return ordered.slice(plan.offset, plan.offset + plan.limit).map(({ requestId }) => requestId);
}

function isKept({ record, session }: StoredSubject, { filter, flags }: RequestsPlan): boolean {
  return matches(filter, record, session ?? undefined) && hasFlags(record, flags);
}

function hasFlags({ cached, scores, feedback, experimentId }: StoredRecord, flags: RequestFlags): boolean {
  const isScored = scores.size > 0 || feedback !== null;
  const isAsScored = flags.unscored === true ? !isScored : !flags.scored || isScored;
  return (!flags.cached || cached) && isAsScored && (!flags.inExperiment || experimentId !== '');
}

/** What is asked for with a flag is asked for as older clients do, for whom a false one has a meaning. */
function dialectOf({ isCached, isPartOfExperiment }: Pick<RandomQuery, 'isCached' | 'isPartOfExperiment'>): RequestsDialect {
  return isCached || isPartOfExperiment ? legacyDialect : { ...legacyDialect, isScoredFalse: 'all' };
}

function planOf({ filter, sort, ...rest }: RandomQuery): RequestsPlan {
  const planned = planRequests(organization, { ...rest, filter, sort: sortBody(sort) }, dialectOf(rest));
  if (!planned.ok) throw new Error(planned.fault.message);
  if (planned.value.kind !== 'page') throw new Error(planned.value.hint);
  return planned.value.plan;
}

/** The sort as the body of a query has it: names stand in an object under their key. */
function sortBody(terms: readonly OrderTerm[]): unknown {
  const body: Record<string, unknown> = {};
  for (const { key, name, direction } of terms) {
    body[key] = name === undefined ? direction : Object.fromEntries([...Object.entries(body[key] ?? {}), [name, direction]]);
  }
  return body;
}

async function idsFrom(connections: Connections, statements: readonly Statement[]): Promise<readonly string[]> {
  const run = makeRunStatement(connections, { queryTimeoutMs: 30_000, queryMemoryBytes: 1024 * 1024 * 1024 });
  return (await runUntilRows<{ readonly id: string }>(run, statements)).map(({ id }) => id);
}

export function sessionsOf({ records, tags }: World): ReadonlyMap<string, SessionAggregates> {
  const members = new Map<string, FilterRecord[]>();
  for (const record of records) {
    if (record.sessionId !== '') members.set(record.sessionId, [...(members.get(record.sessionId) ?? []), record]);
  }
  return new Map([...members].map(([id, requests]) => [id, sessionAggregatesOf(requests, tags.get(id) ?? '')]));
}

/** How the store's answer differs from the one that is expected, in words; null when it does not. */
async function differenceOf({ connections, records }: World, plan: RequestsPlan, expected: readonly string[]): Promise<string | null> {
  try {
    const found = await idsFrom(connections, pageStatements(plan));
    return found.join() === expected.join() ? null : differenceText(expected, found, records);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return `the store failed: ${String(error)} ${cause instanceof Error ? cause.message : ''}`;
  }
}

function differenceText(expected: readonly string[], found: readonly string[], records: readonly StoredRecord[]): string {
  const place = expected.findIndex((id, index) => found[index] !== id);
  const missing = expected.filter((id) => !found.includes(id));
  const surplus = found.filter((id) => !expected.includes(id));
  const [culprit] = [...missing, ...surplus];
  const shown = records.find(({ requestId }) => requestId === culprit);
  return [
    `the interpreter has ${expected.length}, the store ${found.length}; they part at ${place === -1 ? expected.length : place}`,
    `not in the store's answer: ${missing.slice(0, 3).join(' ')}`,
    `only in the store's answer: ${surplus.slice(0, 3).join(' ')}`,
    shown === undefined ? 'the order differs' : `the first of them: ${textOf(shown).replaceAll(/(.{40}).{200,}?(?="[,}\]])/gu, '$1…')}`,
  ].join('\n');
}

/** Anything as text for people. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (part instanceof Map ? [...part] : typeof part === 'bigint' ? String(part) : part));
}

let inserts = 0;
let numbers = 0;

/** A row of `requests` with the next number in the order of storage. */
function nextRow(record: StoredRecord): Uint8Array {
  const { request } = rowsOf(record, record.createdAt);
  numbers += 1;
  numberRow(request, numbers);
  return request;
}

/** Empties the tables and lets nothing merge by itself. */
async function empty(world: World): Promise<void> {
  const tables = ['requests', 'bodies', 'bodies_before', 'body_moves', 'session_tags'];
  await command(world, ...tables.map((table) => `TRUNCATE TABLE ${table}`));
  world.connections.bodies.migratedUntil = undefined;
  await command(world, 'SYSTEM STOP MERGES requests', 'SYSTEM STOP MERGES bodies');
}

/** Stores records in parts of so many, each with as many of the stranger's. */
async function store(world: World, records: readonly StoredRecord[], rowsInPart: number): Promise<void> {
  const others = nastyRecords(stranger, records.length, world.seed + 7);
  const insert = makeInsertRows(world.connections);
  for (let from = 0; from < records.length; from += rowsInPart) {
    const part = [...records.slice(from, from + rowsInPart), ...others.slice(from, from + rowsInPart)];
    inserts += 1;
    await insert('requests', part.map(nextRow), `requests-${inserts}`);
    await insert(
      'bodies',
      part.filter(hasTexts).map((record) => rowsOf(record, record.createdAt).bodies),
      `bodies-${inserts}`,
    );
  }
}

/** Merges each month into one part. */
async function merge(world: World): Promise<void> {
  await command(world, 'SYSTEM START MERGES requests', 'SYSTEM START MERGES bodies');
  await command(world, 'OPTIMIZE TABLE requests FINAL', 'OPTIMIZE TABLE bodies FINAL');
  await command(world, 'SYSTEM STOP MERGES requests', 'SYSTEM STOP MERGES bodies');
}

/** A record without any text has no row in `bodies` at all. */
function hasTexts({ requestBody, responseBody, promptText, lastUserText, completionText }: StoredRecord): boolean {
  return requestBody.kind !== 'absent' || responseBody.kind !== 'absent' || promptText + lastUserText + completionText !== '';
}

/** Changes some of the records, as those do who add properties, scores and feedback. */
async function change(world: World, seed: number): Promise<World> {
  const changeStored = makeChangeStored(world.connections);
  const records = new Map(world.records.map((record) => [record.requestId, record]));
  for (const accepted of nastyChanges(world.records, changeCount, seed)) {
    const before = records.get(accepted.requestId);
    if (before === undefined) continue;
    if (!(await changeStored({ accepted, createdAt: before.createdAt }))) throw new Error('The store has not found a record to change.');
    records.set(accepted.requestId, changed(before, accepted));
  }
  return { ...world, records: [...records.values()] };
}

/** Sets properties on all records of some of the sessions, by mutation. */
async function changeSessions(world: World, seed: number): Promise<World> {
  const { update } = makeChangeStoredSession(world.connections, { maxPatched: 0 });
  let { records } = world;
  for (const accepted of nastyChanges(world.records, sessionChangeCount, seed)) {
    const sessionId = records.find(({ requestId }) => requestId === accepted.requestId)?.sessionId ?? '';
    if (accepted.change.kind !== 'property' || sessionId === '') continue;
    const values = new Map([...accepted.change.values].filter(([name]) => name !== sessionProperties.sessionId));
    if (values.size === 0) continue;
    await update({ ...accepted, sessionId, values });
    const ofAll = { ...accepted, change: { kind: 'session_property', values } as const };
    records = records.map((record) => (record.sessionId === sessionId ? changed(record, ofAll) : record));
  }
  return { ...world, records };
}

/** Tags some of the sessions, and the stranger's of the same names otherwise. */
async function tag(world: World, seed: number): Promise<World> {
  const setTag = makeSetSessionTag(world.connections);
  const given = nastyTags(tagCount, seed);
  for (const [index, [sessionId, text]] of given.entries()) {
    const common = { sessionId, keyId: 'key', acceptedAt: seed, number: seed * 1000 + index };
    await setTag({ ...common, organizationId: organization, tag: text });
    await setTag({ ...common, organizationId: stranger, tag: `${text}x`, number: common.number + 1000 });
  }
  return { ...world, tags: new Map([...world.tags, ...given]) };
}

async function command({ connections }: World, ...statements: readonly string[]): Promise<void> {
  for (const query of statements) await connections.run('update', (client) => client.command({ query }));
}

const appliedPrices = [
  '',
  '{"rates":{"input":"3","cache_read":"0.3"}}',
  '{"rates":{"input":"0.000000000001"}}',
  '{"rates":{"input":"1","cache_read":"2.5"}}',
];

/** The record with one of a few prices. */
function priced(record: StoredRecord, index: number): StoredRecord {
  return { ...record, appliedPrice: appliedPrices[index % appliedPrices.length] ?? '' };
}
