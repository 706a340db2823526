import { type ChangeNext, makeChangeNext } from './bulk/change.ts';
import { type JobLists, makeJobLists } from './bulk/job-lists.ts';
import { type ChangeStored, makeChangeStored } from './update/change.ts';
import { type ChangeStoredCosts, makeChangeStoredCosts } from './update/change-costs.ts';
import { type LatestChangeNumber, makeLatestChangeNumber } from './update/change-numbers.ts';
import { makeUsageRows, type UsageRows } from './update/complete-usage.ts';
import { isAtRest } from './copy/at-rest.ts';
import { copiedTables } from './copy/copied-tables.ts';
import { copyRound, type CopyRound, dropHidden, type RoundOptions } from './copy/copy-store.ts';
import { type Identities, makeIdentities } from './copy/identity.ts';
import type { Connect, Connections, StoreLocation } from './engine/connections.ts';
import { gated, type Kinds } from './engine/gated.ts';
import type { RewrittenHours } from './engine/rewritten-hours.ts';
import { type HeldWrites, WriteGate } from './engine/write-gate.ts';
import type { LaneState, NoteWait, ReadConnections } from './engine/lanes.ts';
import { openConnections } from './engine/open-connections.ts';
import { type KnownDamage, type OnDamage, watchDamage } from './parts/damaged-parts.ts';
import { startEngineThreads } from './engine/engine-threads.ts';
import { type EraseStored, makeEraseStored } from './delete/erasure.ts';
import { type JoinRecords, makeJoinRecords } from './once/absorb.ts';
import { makeSpanTexts, type SpanTextsRows } from './once/span-texts.ts';
import { type FindTold, type HasArrived, makeFindTold, makeHasSpans, makeHasTracedCalls } from './once/told-rows.ts';
import { type InsertRows, makeInsertRows } from './insert/insert.ts';
import { type IndexWords, makeIndexWords } from './move/index-words.ts';
import { makeMoveBodies, type MoveBodies } from './move/move-bodies.ts';
import { migrateStore } from './schema/migrate.ts';
import { type CountCalls, makeCountCalls } from './read/count-calls.ts';
import { type LatestArrival, makeLatestArrival } from './read/latest-arrival.ts';
import { type LatestStoredNumber, makeLatestStoredNumber } from './read/latest-stored-number.ts';
import { makeRemoveOrphans, type RemoveOrphans } from './delete/orphans.ts';
import { makeRemoveExpired, type RemoveExpired } from './delete/retention.ts';
import type { RowChanges } from './read/row-changes.ts';
import { ChangedRows } from './changed-rows.ts';
import type { ChangeLog } from './read/change-log.ts';
import { makeRunStatement, type RunOptions, type RunStatement } from './read/run-statement.ts';
import { type KnownSize, makeKnownSize } from './parts/known-size.ts';
import { type ListParts, makeListParts } from './parts/list-parts.ts';
import { type CheckPart, makeCheckPart, makeSetAside, type SetAside } from './parts/set-aside.ts';
import { PendingPatches } from './update/pending-patches.ts';
import { watchMerges } from './engine/disk-space.ts';
import type { DiskSpace, HasFreeSpace } from '../platform/disk-space.ts';
import { type ChangeStoredSession, makeChangeStoredSession } from './update/session-changes.ts';
import { type FindRows, makeFindRows } from './read/find-rows.ts';
import { makeSetSessionTag, type SetSessionTag } from './update/session-tags.ts';

/** The record store: ClickHouse, embedded or served. */
export interface Store {
  readonly run: RunStatement;
  readonly insert: InsertRows;
  /** An insert of several months may be stored in part: on servers. */
  readonly insertsByMonth: boolean;
  /** How often rows of `bodies` have been removed, or were about to be, since the store was opened. */
  readonly bodyRemovals: () => number;
  /** What the writes below have changed in `requests`. */
  readonly rowChanges: RowChanges;
  readonly findRows: FindRows;
  readonly findTold: FindTold;
  readonly hasSpans: HasArrived;
  readonly hasTracedCalls: HasArrived;
  readonly joinRecords: JoinRecords;
  readonly spanTexts: SpanTextsRows;
  readonly changeStored: ChangeStored;
  readonly changeStoredCosts: ChangeStoredCosts;
  readonly usageRows: UsageRows;
  readonly changeStoredSession: ChangeStoredSession;
  readonly setSessionTag: SetSessionTag;
  readonly jobLists: JobLists;
  readonly changeNext: ChangeNext;
  readonly latestChangeNumber: LatestChangeNumber;
  readonly countCalls: CountCalls;
  readonly latestArrival: LatestArrival;
  readonly latestStoredNumber: LatestStoredNumber;
  /** Undefined for a ClickHouse server. */
  readonly listParts: ListParts | undefined;
  readonly damage: KnownDamage;
  readonly checkPart: CheckPart;
  /** Undefined for a ClickHouse server. */
  readonly setAside: SetAside | undefined;
  readonly erase: EraseStored;
  readonly removeExpired: RemoveExpired;
  readonly removeOrphans: RemoveOrphans;
  readonly moveBodies: MoveBodies;
  readonly indexWords: IndexWords;
  readonly migrate: (onApplied: (name: string) => void) => Promise<void>;
  readonly startThreads: () => Promise<void>;
  readonly isAlive: () => Promise<boolean>;
  /** False while the embedded store's disk is full: reads work, writes are refused. */
  readonly hasFreeSpace: HasFreeSpace;
  /** Undefined for a ClickHouse server. */
  readonly measureFreeSpace: () => DiskSpace | undefined;
  readonly lanes: () => readonly LaneState[];
  readonly size: Pick<KnownSize, 'read'>;
  readonly copy: StoreCopying;
  readonly close: () => Promise<void>;
}

/** What moves the records to another store. */
export interface StoreCopying {
  readonly identities: Identities;
  /** Compares another store with this one, and copies what differs: see `copy/copy-store.ts`. */
  readonly round: (to: Store, order: CopyRoundOrder) => Promise<CopyRound>;
  /** Writes the parts of this store without the rows that are hidden in them. */
  readonly dropHidden: (signal: AbortSignal) => Promise<void>;
  /** What has been rewritten under the same keys is in this order: see {@link RewrittenHours}. */
  readonly rewritten: Pick<RewrittenHours, 'mark' | 'since'>;
  /** Nothing of an earlier copy is still being written to this store, of which a connection may have ended. */
  readonly isAtRest: () => Promise<boolean>;
  /** Holds all writes. @throws when one that runs does not end in time. */
  readonly holdWrites: (maxMs: number) => Promise<HeldWrites>;
  /** Where the records have moved, in words; undefined: they are in this store. */
  readonly movedTo: () => string | undefined;
  /** An upgrade is still moving bodies, which a copy would miss. */
  readonly isBeingUpgraded: () => boolean;
}

export interface CopyRoundOrder extends RoundOptions {
  /** For the rows that are on their way. */
  readonly folder: string;
  /** Of its disk. */
  readonly hasFreeSpace: HasFreeSpace;
}

/** What each member does to stored records; of those with several functions the writing ones. */
const kinds: Kinds<Store> = {
  run: 'reads',
  insert: 'writes',
  insertsByMonth: 'reads',
  bodyRemovals: 'reads',
  rowChanges: 'reads',
  findRows: 'reads',
  findTold: 'reads',
  hasSpans: 'reads',
  hasTracedCalls: 'reads',
  joinRecords: 'writes',
  spanTexts: ['remove', 'replaceBodies'],
  changeStored: 'writes',
  changeStoredCosts: 'writes',
  usageRows: ['complete'],
  changeStoredSession: ['writeHistory', 'update'],
  setSessionTag: 'writes',
  jobLists: ['list', 'drop'],
  changeNext: 'writes',
  latestChangeNumber: 'reads',
  countCalls: 'reads',
  latestArrival: 'reads',
  latestStoredNumber: 'reads',
  listParts: 'reads',
  damage: 'reads',
  checkPart: 'reads',
  setAside: 'writes',
  erase: ['list', 'removeRequests', 'removeRest', 'removeFiles'],
  removeExpired: 'writes',
  removeOrphans: 'writes',
  moveBodies: ['step'],
  indexWords: ['step'],
  migrate: 'reads',
  startThreads: 'reads',
  isAlive: 'reads',
  hasFreeSpace: 'reads',
  measureFreeSpace: 'reads',
  lanes: 'reads',
  size: 'reads',
  copy: 'reads',
  close: 'reads',
};

/** The connections of each store, for a copy between two. */
const connectionsOf = new WeakMap<Store, Connections>();

export interface StoreOptions extends RunOptions {
  readonly onWait?: NoteWait;
  readonly onDamage?: OnDamage;
  readonly readConnections?: ReadConnections;
  /** Absent: nobody must know of changes after a kill. */
  readonly changeLog?: ChangeLog | undefined;
}

/** Only one process can open an embedded store. @param connect opens the connections; a test passes failing ones. */
export function openStore(location: StoreLocation, options: StoreOptions, connect: Connect = openConnections): Store {
  const damage = watchDamage(connect(location, options.onWait, options.readConnections), options.onDamage);
  const { connections } = damage;
  const endWatch = connections.embedded ? watchMerges(connections) : () => undefined;
  const patches = new PendingPatches();
  const changed = new ChangedRows(options.changeLog);
  const gate = new WriteGate();
  const identities = makeIdentities(connections);
  const setAside = makeSetAside(connections, damage);
  const store: Store = {
    run: makeRunStatement(connections, options),
    rowChanges: changed.told,
    bodyRemovals: () => connections.bodies.removals,
    insertsByMonth: !connections.embedded,
    findRows: makeFindRows(connections),
    findTold: makeFindTold(connections),
    hasSpans: makeHasSpans(connections),
    hasTracedCalls: makeHasTracedCalls(connections),
    ...amountWrites(connections, patches, changed),
    setSessionTag: makeSetSessionTag(connections),
    jobLists: makeJobLists(connections, options),
    latestChangeNumber: makeLatestChangeNumber(connections),
    countCalls: makeCountCalls(connections),
    latestArrival: makeLatestArrival(connections),
    latestStoredNumber: makeLatestStoredNumber(connections),
    listParts: makeListParts(connections),
    damage,
    checkPart: makeCheckPart(connections, damage),
    setAside: setAside && (async (...part) => notedAsLost(identities, await setAside(...part))),
    ...rowWrites(connections, patches, changed),
    removeOrphans: makeRemoveOrphans(connections),
    moveBodies: makeMoveBodies(connections, { maxQueryMs: options.queryTimeoutMs }),
    indexWords: makeIndexWords(connections),
    migrate: (onApplied) => migrateStore(connections, onApplied),
    startThreads: () => startEngineThreads(connections),
    isAlive: async () => connections.run('control', async (client) => (await client.ping({ select: true })).success),
    hasFreeSpace: connections.hasFreeSpace,
    measureFreeSpace: connections.measureFreeSpace,
    lanes: connections.lanes,
    size: makeKnownSize(connections),
    copy: {
      identities,
      round: (to, order) => roundBetween(connections, to, order),
      dropHidden: (signal) => dropHidden(connections, signal),
      rewritten: connections.bodies.rewritten,
      isAtRest: () => isAtRest(connections),
      holdWrites: (maxMs) => gate.hold(maxMs),
      movedTo: () => gate.closedTo,
      isBeingUpgraded: () => connections.bodies.migratedUntil !== undefined,
    },
    close: async () => {
      endWatch();
      await damage.end();
      await connections.close();
    },
  };
  const behindGate = gated(store, kinds, gate);
  connectionsOf.set(behindGate, connections);
  return behindGate;
}

async function notedAsLost<Result>(identities: Identities, result: Result): Promise<Result> {
  await identities.markIncomplete();
  return result;
}

async function roundBetween(from: Connections, to: Store, { folder, hasFreeSpace, ...options }: CopyRoundOrder): Promise<CopyRound> {
  const target = connectionsOf.get(to);
  if (target === undefined) throw new TypeError('A store that was not opened here cannot be copied into.');
  return copyRound({ from, to: target, folder, hasFreeSpace }, await copiedTables(from, target), options);
}

/** Writes that change costs and usage. */
function amountWrites(
  connections: Connections,
  patches: PendingPatches,
  changed: ChangedRows,
): Pick<Store, 'changeStoredCosts' | 'usageRows'> {
  const changeStoredCosts = makeChangeStoredCosts(connections, patches);
  const usageRows = makeUsageRows(connections, patches);
  return {
    changeStoredCosts: (costs) => changed.amounts(costs.organizationId, costs.changes, () => changeStoredCosts(costs)),
    usageRows: {
      ...usageRows,
      complete: (call) => {
        const { requestId, billed } = call.before;
        return changed.amounts(call.organizationId, [{ requestId, createdAt: billed.createdAt }], () => usageRows.complete(call));
      },
    },
  };
}

type RowWrites = Pick<
  Store,
  'joinRecords' | 'spanTexts' | 'insert' | 'changeStored' | 'changeNext' | 'changeStoredSession' | 'erase' | 'removeExpired'
>;

/** Writes that add, change or remove values of `requests`. */
function rowWrites(connections: Connections, patches: PendingPatches, changed: ChangedRows): RowWrites {
  const { told } = changed;
  const insert = makeInsertRows(connections);
  const changeStored = makeChangeStored(connections, undefined, patches);
  const changeNext = makeChangeNext(connections, patches);
  const ofSession = makeChangeStoredSession(connections, { patches });
  const erase = makeEraseStored(connections);
  const removeExpired = makeRemoveExpired(connections);
  const joinRecords = makeJoinRecords(connections, patches);
  const markAll = (): void => told.markAll();
  const spanTexts = makeSpanTexts(connections);
  return {
    joinRecords: {
      moveNumbers: (owner, from, into) => joinRecords.moveNumbers(owner, from, into).finally(() => told.markAmounts(owner, into.createdAt)),
      fillDetails: (owner, into, details) =>
        joinRecords.fillDetails(owner, into, details).finally(() => told.markAmounts(owner, into.createdAt)),
      moveChanges: (owner, from, into) => joinRecords.moveChanges(owner, from, into).finally(() => told.markAmounts(owner, into.createdAt)),
      remove: (owner, records, signal) => joinRecords.remove(owner, records, signal).finally(markAll),
    },
    spanTexts: { ...spanTexts, replaceBodies: (...args) => spanTexts.replaceBodies(...args).finally(markAll) },
    insert: (table, rows, ...rest) => insert(table, rows, ...rest).finally(() => table === 'requests' && told.markInserted(rows)),
    changeStored: (change) => {
      const { organizationId, requestId } = change.accepted;
      return changed.values(organizationId, [{ requestId, createdAt: change.createdAt }], () => changeStored(change));
    },
    changeNext: (job, after) => changed.many(job.organizationId, (log) => changeNext(job, after, log)),
    changeStoredSession: {
      ...ofSession,
      update: (change) => changed.many(change.organizationId, (log) => ofSession.update(change, log)),
    },
    erase: { ...erase, removeRequests: (erasure, signal) => erase.removeRequests(erasure, signal).finally(markAll) },
    removeExpired: (expiry, signal) => removeExpired(expiry, signal).finally(markAll),
  };
}
