import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { AcceptedChange } from '../../model/change.ts';
import { type OrganizationId, type Uuid, uuidToNumber } from '../../model/ids.ts';
import type { CompiledSql } from '../../sql/statement.ts';
import {
  bytesOfPreviews,
  type ChangedRequest,
  changedRequest,
  type MutableFieldsRow,
  readStatement,
  type RequestChanges,
  updateStatement,
} from './change-statements.ts';
import type { Connections } from '../engine/connections.ts';
import { isRejection, changeFailure } from '../engine/failure.ts';
import { makeInsertRows } from '../insert/insert.ts';
import { readRows, runCommand } from '../engine/statements.ts';
import { PendingPatches } from './pending-patches.ts';
import { runWrite } from '../engine/disk-space.ts';
import { quotaError } from './property-quota.ts';
import { changeRows } from '../insert/change-rows.ts';

export interface StoredChange {
  readonly accepted: AcceptedChange;
  /** The record's time, which locates the row; Unix milliseconds. */
  readonly createdAt: number;
}

/**
 * Changes a stored request and writes its history; durable and visible to every later read on return.
 * @returns false when no such request exists at that time; nothing is changed then.
 * @throws GatelogError when the store fails.
 */
export type ChangeStored = (change: StoredChange) => Promise<boolean>;

type Pause = (ms: number) => Promise<unknown>;

export interface PatchParts {
  readonly connections: Connections;
  readonly patches: PendingPatches;
}

interface Waiting extends StoredChange {
  readonly resolve: (changed: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Changes per statement, and characters in them: the engine takes seconds for tens of millions. */
const maxInStatement = 500;
const maxCharacters = 4 * 1024 * 1024;
/** Names per statement: the old values are read, each up to 8 KiB. */
const maxNames = 4096;

/** Bytes of a patch per row, beside its properties and previews. */
const otherBytesOfPatch = 256;

/** A burst ends when nothing new has arrived after this pause. `maxLooks` bounds the pauses for a growing group. */
const quietMs = 2;
const maxLooks = 15;

/** Bytes: enough for {@link maxCharacters} or one whole change, in UTF-8 with every character escaped twice. */
const maxStatement = String(64 * 1024 * 1024);
/** TRICKY: settings stay on an embedded connection, so reads and updates of the lane send the same ones. */
export const updateSettings = { max_query_size: maxStatement };

/** Between the two writes the history shows a change that is not made, so a failed write is repeated. */
const writeTries = 3;

/**
 * Groups changes that arrive together, or during the writes of earlier ones: one read, one insert and one update per organisation. Of two
 * changes of one name the later wins, and its old value is the earlier one's.
 * @param pause waits this many milliseconds.
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
      // One group per waiting organisation, so that none waits for everything that another has sent.
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
 * Waits for a whole burst.
 * TRICKY: turns of the event loop do not show its end. A burst arrives over many sockets and turns, and one change written ahead of the
 * others would delay them by three statements, whose results wait for this thread while it reads the burst.
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

/** The number of waiting changes for the next statement, at least one. */
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
 * Reads the rows, writes the history, updates the rows, for one organisation.
 * Invariant: the history comes first, so a row never shows a change that its history lacks, even after a crash or a power loss.
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
    for (const { reject } of members) reject(changeFailure(error));
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
  const rows = await readRows<MutableFieldsRow>(connections, 'update', readStatement(organizationId, requests), updateSettings);
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

/** An update sets values and adds nothing, so it can be repeated when its result is lost. */
async function updateRequests(
  { connections, patches }: PatchParts,
  organizationId: OrganizationId,
  changed: readonly ChangedRequest[],
): Promise<void> {
  const bytes = changed.reduce((sum, { total }) => sum + total.bytes + otherBytesOfPatch, bytesOfPreviews(changed));
  await writePatch({ connections, patches }, updateStatement(organizationId, changed), bytes);
}

/** @param bytes estimated size of the patch. @throws GatelogError `store_unavailable` without free disk space. */
export async function writePatch({ connections, patches }: PatchParts, update: CompiledSql, bytes: number): Promise<void> {
  const { embedded } = connections;
  await withRetries(() =>
    runWrite(connections, 'update', async (client) => {
      await patches.flushIfOverLimit(connections, client, bytes);
      await runCommand({ client, embedded }, update, updateSettings);
    }),
  );
}

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
