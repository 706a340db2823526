import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { AcceptedChange } from '../../model/change.ts';
import { type OrganizationId, type Uuid, uuidToNumber } from '../../model/ids.ts';
import type { CompiledSql } from '../../sql/statement.ts';
import {
  type ChangedRequest,
  changedRequest,
  type FactsRow,
  readStatement,
  type RequestChanges,
  updateStatement,
} from './change-statements.ts';
import type { Connections } from '../engine/connections.ts';
import { isRejection, storeFailure } from '../engine/failure.ts';
import { makeInsertRows } from '../insert/insert.ts';
import { readRows, runCommand } from '../engine/statements.ts';
import { PendingPatches } from './pending-patches.ts';
import { runWrite } from '../engine/disk-space.ts';
import { quotaError } from './property-quota.ts';
import { changeRows } from '../insert/change-rows.ts';

/** A change of a stored request. */
export interface StoredChange {
  readonly accepted: AcceptedChange;
  /** Where to look for the row: the record's own time, Unix milliseconds. */
  readonly createdAt: number;
}

/**
 * Changes a stored request and writes its history; durable and visible to every later read when it returns.
 * @returns false when no such request was found at that time; nothing was changed then. @throws GatelogError when the store fails.
 */
export type ChangeStored = (change: StoredChange) => Promise<boolean>;

type Pause = (ms: number) => Promise<unknown>;

/** Where patches are written. */
export interface PatchParts {
  readonly connections: Connections;
  readonly patches: PendingPatches;
}

interface Waiting extends StoredChange {
  readonly resolve: (changed: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Changes in one statement, and characters in them: the engine takes seconds for tens of millions. */
const maxInStatement = 500;
const maxCharacters = 4 * 1024 * 1024;
/** Names in one statement: the values that they had are read, and each may have its eight KiB. */
const maxNames = 4096;

/** In a patch, beside the properties of a row. */
const otherBytesOfPatch = 256;

/** A burst is over when a look so many milliseconds later finds nothing new; a group that goes on growing is looked at so often. */
const quietMs = 2;
const maxLooks = 15;

/** In bytes. Room for {@link maxCharacters} or one whole change, in UTF-8 and with every character escaped twice. */
const maxStatement = String(64 * 1024 * 1024);
/** TRICKY: in the embedded engine settings stick to the connection, so the read, too, has none that the update must not have. */
export const updateSettings = { max_query_size: maxStatement };

/** Between the two writes the history tells of a change that is not made, so a failure is not taken for an answer at once. */
const writeTries = 3;

/**
 * Makes the function that changes stored requests. Changes that come together, or while others are being written, are gathered into the next statements,
 * one read, one insert and one update an organisation; of two for the same name the later wins, and finds the earlier one's value.
 * @param pause waits so many milliseconds.
 */
export function makeChangeStored(
  connections: Connections,
  pause: Pause = wait,
  patches: PendingPatches = new PendingPatches(),
): ChangeStored {
  const queues = new Map<OrganizationId, Waiting[]>();
  let running = false;
  const drain = async (): Promise<void> => {
    running = true;
    while (queues.size > 0) {
      await gather(queues, pause);
      // Of each organisation that waits now one group, so that nobody waits for all that another one has sent.
      const round = [...queues];
      for (const [organizationId, queue] of round) {
        const group = queue.splice(0, countOfGroup(queue));
        if (queue.length === 0) queues.delete(organizationId);
        await runGroup({ connections, patches }, organizationId, group);
      }
    }
    running = false;
  };
  return ({ accepted, createdAt }) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(accepted.organizationId) ?? [];
      queue.push({ accepted, createdAt, resolve, reject });
      queues.set(accepted.organizationId, queue);
      if (!running) void drain();
    });
}

/**
 * Lets a burst come in whole. TRICKY: turns of the event loop are no measure of that. A burst comes over many sockets and turns, and one change
 * that went ahead of the others would hold them up for three statements, whose answers wait in turn for this thread, busy reading the burst.
 */
async function gather(queues: ReadonlyMap<OrganizationId, readonly Waiting[]>, pause: Pause): Promise<void> {
  for (let look = 0, before = -1; look < maxLooks && before < countIn(queues) && countIn(queues) < maxInStatement; look += 1) {
    before = countIn(queues);
    await pause(quietMs);
  }
}

function countIn(queues: ReadonlyMap<OrganizationId, readonly Waiting[]>): number {
  let count = 0;
  for (const queue of queues.values()) count += queue.length;
  return count;
}

/** How many of the waiting changes, one at least, go into the next statement. */
function countOfGroup(queue: readonly Waiting[]): number {
  let characters = 0;
  let names = 0;
  for (const [index, { accepted }] of queue.entries()) {
    const { change } = accepted;
    if (change.kind !== 'feedback') {
      names += change.values.size;
      for (const [name, value] of change.values) characters += name.length + String(value).length;
    }
    if (index > 0 && (index >= maxInStatement || characters > maxCharacters || names > maxNames)) return index;
  }
  return queue.length;
}

/**
 * Changes of one organisation: read what the rows hold, write the history, update the rows.
 * Invariant: the history comes first, so that a row never shows a change that its history lacks, whenever the process or the power fails.
 */
async function runGroup({ connections, patches }: PatchParts, organizationId: OrganizationId, members: readonly Waiting[]): Promise<void> {
  try {
    const read = await readRequests(connections, organizationId, requestsOf(members));
    const changed = read.filter(({ changes }) => changes.length > 0);
    if (changed.length > 0) {
      await insertHistory(connections, changed);
      await updateRequests({ connections, patches }, organizationId, changed);
    }
    const found = new Set(read.map(({ requestId }) => requestId));
    const refused = new Set(read.flatMap((request) => request.refused));
    for (const { accepted, resolve, reject } of members) {
      if (refused.has(accepted)) reject(quotaError(`Request ${accepted.requestId}`));
      else resolve(found.has(accepted.requestId));
    }
  } catch (error) {
    for (const { reject } of members) reject(storeFailure(error));
  }
}

function requestsOf(members: readonly Waiting[]): RequestChanges[] {
  return [...groupedBy(members, ({ accepted }) => accepted.requestId)].map(([requestId, own]) => ({
    requestId,
    createdAts: own.map(({ createdAt }) => createdAt),
    changes: own.map(({ accepted }) => accepted),
  }));
}

/** The requests that the store has, with their changes applied. */
async function readRequests(
  connections: Connections,
  organizationId: OrganizationId,
  requests: readonly RequestChanges[],
): Promise<readonly ChangedRequest[]> {
  const rows = await readRows<FactsRow>(connections, 'update', readStatement(organizationId, requests), updateSettings);
  const rowById = new Map(rows.map((row) => [row.id, row]));
  return requests.flatMap((request) => {
    const row = rowById.get(uuidToNumber(request.requestId).toString());
    return row === undefined ? [] : [changedRequest(request, row)];
  });
}

async function insertHistory(connections: Connections, changed: readonly ChangedRequest[]): Promise<void> {
  const insert = makeInsertRows(connections, 'history');
  const token = `changes-${randomUUID()}`;
  const rows = [changeRows(changed.flatMap(({ entries }) => entries))];
  await withRetries(() => insert('changes', rows, token));
}

/** An update gives values and no steps, so that one whose answer was lost may be made again. */
async function updateRequests(
  { connections, patches }: PatchParts,
  organizationId: OrganizationId,
  changed: readonly ChangedRequest[],
): Promise<void> {
  const bytes = changed.reduce((sum, { total }) => sum + total.bytes + otherBytesOfPatch, 0);
  await writePatch({ connections, patches }, updateStatement(organizationId, changed), bytes);
}

/** Runs an update, which writes a patch of about these bytes. @throws GatelogError `store_unavailable` while there is no space. */
export async function writePatch({ connections, patches }: PatchParts, update: CompiledSql, bytes: number): Promise<void> {
  const { embedded } = connections;
  await withRetries(() =>
    runWrite(connections, 'update', async (client) => {
      await patches.makeRoom(connections, client, bytes);
      await runCommand({ client, embedded }, update, updateSettings);
    }),
  );
}

/** Does it again after a failure that may pass. */
export async function withRetries(write: () => Promise<unknown>): Promise<void> {
  for (let triesLeft = writeTries - 1; ; triesLeft -= 1) {
    try {
      await write();
      return;
    } catch (error) {
      if (triesLeft === 0 || isRejection(error)) throw error;
    }
  }
}

function groupedBy<Item, Key extends Uuid>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const own = groups.get(keyOf(item));
    if (own === undefined) groups.set(keyOf(item), [item]);
    else own.push(item);
  }
  return groups;
}
