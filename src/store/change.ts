import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import type { AcceptedChange, ChangeEntry } from '../model/change.ts';
import { type OrganizationId, type Uuid, uuidToNumber } from '../model/ids.ts';
import {
  type ChangedRequest,
  changedRequest,
  type FactsRow,
  readStatement,
  type RequestChanges,
  type RowsStatement,
  updateStatement,
} from './change-statements.ts';
import type { Connections } from './connections.ts';
import { isRejection, storeFailure } from './failure.ts';
import { makeInsertRows } from './insert.ts';
import { boundQuery } from './parameters.ts';
import { changeLines } from './tables/change-lines.ts';

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

interface Waiting extends StoredChange {
  readonly resolve: (changed: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Changes in one statement, and characters in them: the engine takes seconds for tens of millions. */
const mostInStatement = 500;
const mostCharacters = 4 * 1024 * 1024;
/** Names in one statement: the values that they had are read, and each may have its eight KiB. */
const mostNames = 4096;

/** Turns of the event loop for which a growing group waits. */
const mostTurns = 20;

/** In bytes. Room for {@link mostCharacters} or one whole change, in UTF-8 and with every character escaped twice. */
const largestStatement = String(64 * 1024 * 1024);

/** A row is changed by the time its history is written, so a failure there is not taken for an answer at once. */
const historyTries = 3;

/**
 * Makes the function that changes stored requests. Changes that come while others are being written are gathered into the next statements, one
 * read, one update and one insert an organisation; of two for the same name the later wins, and finds the earlier one's value.
 */
export function makeChangeStored(connections: Connections): ChangeStored {
  const queue: Waiting[] = [];
  let running = false;
  const drain = async (): Promise<void> => {
    running = true;
    while (queue.length > 0) {
      await gather(queue);
      const group = queue.splice(0, countOfGroup(queue));
      for (const [organizationId, members] of groupedBy(group, ({ accepted }) => accepted.organizationId)) {
        await runGroup(connections, organizationId, members);
      }
    }
    running = false;
  };
  return ({ accepted, createdAt }) =>
    new Promise((resolve, reject) => {
      queue.push({ accepted, createdAt, resolve, reject });
      if (!running) void drain();
    });
}

/** Lets those who come in the same moment in: a lone change waits for a turn of the event loop, and a burst shares its statements. */
async function gather(queue: readonly Waiting[]): Promise<void> {
  for (let turn = 0, before = -1; turn < mostTurns && before < queue.length && queue.length < mostInStatement; turn += 1) {
    before = queue.length;
    await nextTurn();
  }
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
    if (index > 0 && (index >= mostInStatement || characters > mostCharacters || names > mostNames)) return index;
  }
  return queue.length;
}

/** Changes of one organisation: read what the rows hold, update them, write the history. */
async function runGroup(connections: Connections, organizationId: OrganizationId, members: readonly Waiting[]): Promise<void> {
  try {
    const changed = await connections.run('update', async (client) => {
      const run = clientRunner(client, connections.embedded);
      const found = await readRequests(run, organizationId, requestsOf(members));
      if (found.length > 0) await run.command(updateStatement(organizationId, found));
      return found;
    });
    await insertHistory(
      connections,
      changed.flatMap(({ entries }) => entries),
    );
    const found = new Set(changed.map(({ requestId }) => requestId));
    for (const { accepted, resolve } of members) resolve(found.has(accepted.requestId));
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
  run: ClientRunner,
  organizationId: OrganizationId,
  requests: readonly RequestChanges[],
): Promise<readonly ChangedRequest[]> {
  const rows = await run.query<FactsRow>(readStatement(organizationId, requests));
  const rowById = new Map(rows.map((row) => [row.id, row]));
  return requests.flatMap((request) => {
    const row = rowById.get(uuidToNumber(request.requestId).toString());
    return row === undefined ? [] : [changedRequest(request, row)];
  });
}

async function insertHistory(connections: Connections, entries: readonly ChangeEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const insert = makeInsertRows(connections, 'history');
  const token = `changes-${randomUUID()}`;
  for (let triesLeft = historyTries - 1; ; triesLeft -= 1) {
    try {
      await insert('changes', changeLines(entries), token);
      return;
    } catch (error) {
      if (triesLeft === 0 || isRejection(error)) throw error;
    }
  }
}

interface ClientRunner {
  readonly query: <Row>(statement: RowsStatement) => Promise<readonly Row[]>;
  readonly command: (statement: RowsStatement) => Promise<void>;
}

function clientRunner(client: ClickHouseClient, embedded: boolean): ClientRunner {
  const bound = ({ text, params }: RowsStatement) => ({
    ...boundQuery(text, params, embedded),
    // TRICKY: in the embedded engine settings stick to the connection, so the read, too, has none that the update must not have.
    clickhouse_settings: { max_query_size: largestStatement },
  });
  return {
    query: async <Row>(statement: RowsStatement) => (await client.query({ ...bound(statement), format: 'JSONEachRow' })).json<Row>(),
    command: async (statement) => {
      await client.command(bound(statement));
    },
  };
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
