import type { OrganizationId, RequestId } from '../model/ids.ts';
import { uuidToNumber } from '../model/ids.ts';
import { sessionProperties } from '../model/vocabulary/session-properties.ts';
import type { Connections } from './connections.ts';
import { storeFailure } from './failure.ts';
import { boundQuery } from './parameters.ts';

/** Properties to add to, or replace on, one stored request. */
export interface PropertyUpdate {
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
  /** The record's own time, Unix milliseconds: with it the row is found by key. */
  readonly createdAt: number;
  readonly properties: ReadonlyMap<string, string>;
}

/** Updates properties; durable and visible to every later read when it returns. */
export type UpdateProperties = (update: PropertyUpdate) => Promise<void>;

interface Waiting {
  readonly update: PropertyUpdate;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Updates in one statement, and characters in them: the engine takes seconds for tens of millions. */
const mostInStatement = 500;
const mostCharacters = 4 * 1024 * 1024;

/** In bytes. Room for {@link mostCharacters} or one whole update, in UTF-8 and with every character escaped twice. */
const largestStatement = String(64 * 1024 * 1024);

const namesOfRow = '{names:Array(Array(String))}[indexOf({ids:Array(UInt128)}, request_id)]';
const changeOfRow = `mapFromArrays(${namesOfRow}, {values:Array(Array(String))}[indexOf({ids:Array(UInt128)}, request_id)])`;

/** Columns that follow a property. */
const followers = [
  ['session_id', sessionProperties.sessionId],
  ['session_name', sessionProperties.sessionName],
  ['session_path', sessionProperties.sessionPath],
] as const;

/** The statement that changes properties; columns that follow one are only touched where a change names it, for every patched column costs. */
function updateStatement(namesFollowed: boolean): string {
  const columns = namesFollowed
    ? followers.map(([column, name]) => `${column} = if(has(${namesOfRow}, '${name}'), (${changeOfRow})['${name}'], ${column}),`)
    : [];
  return `UPDATE requests SET ${columns.join(' ')}
    properties = mapUpdate(properties, ${changeOfRow}),
    updated_at = now64(3, 'UTC')
  WHERE org_id = {tenant:UInt128}
    AND created_at IN (arrayMap(ms -> fromUnixTimestamp64Milli(ms, 'UTC'), {times:Array(Int64)}))
    AND request_id IN {ids:Array(UInt128)}`;
}

/**
 * Makes the function that updates properties. Updates that come while one is running are gathered into the next statement, one an
 * organisation; of two for the same request the later wins name by name.
 */
export function makeUpdateProperties(connections: Connections): UpdateProperties {
  const queue: Waiting[] = [];
  let running = false;
  const drain = async (): Promise<void> => {
    running = true;
    while (queue.length > 0) {
      const group = queue.splice(0, countOfGroup(queue));
      await runGroup(connections, group);
    }
    running = false;
  };
  return (update) =>
    new Promise((resolve, reject) => {
      queue.push({ update, resolve, reject });
      if (!running) void drain();
    });
}

/** How many of the waiting updates, one at least, go into the next statement. */
function countOfGroup(queue: readonly Waiting[]): number {
  let characters = 0;
  for (const [index, { update }] of queue.entries()) {
    for (const [name, value] of update.properties) characters += name.length + value.length;
    if (index > 0 && (index >= mostInStatement || characters > mostCharacters)) return index;
  }
  return queue.length;
}

async function runGroup(connections: Connections, group: readonly Waiting[]): Promise<void> {
  for (const [organizationId, members] of groupByOrganization(group)) {
    try {
      await runUpdate(connections, organizationId, mergeByRequest(members.map(({ update }) => update)));
      for (const { resolve } of members) resolve();
    } catch (error) {
      for (const { reject } of members) reject(storeFailure(error));
    }
  }
}

function groupByOrganization(group: readonly Waiting[]): Map<OrganizationId, Waiting[]> {
  const groups = new Map<OrganizationId, Waiting[]>();
  for (const waiting of group) {
    const members = groups.get(waiting.update.organizationId) ?? [];
    members.push(waiting);
    groups.set(waiting.update.organizationId, members);
  }
  return groups;
}

function mergeByRequest(updates: readonly PropertyUpdate[]): PropertyUpdate[] {
  const merged = new Map<RequestId, PropertyUpdate>();
  for (const update of updates) {
    const earlier = merged.get(update.requestId);
    merged.set(
      update.requestId,
      earlier === undefined ? update : { ...update, properties: new Map([...earlier.properties, ...update.properties]) },
    );
  }
  return [...merged.values()];
}

async function runUpdate(connections: Connections, organizationId: OrganizationId, updates: readonly PropertyUpdate[]): Promise<void> {
  const params = {
    tenant: uuidToNumber(organizationId).toString(),
    ids: updates.map(({ requestId }) => uuidToNumber(requestId)),
    times: updates.map(({ createdAt }) => createdAt),
    names: updates.map(({ properties }) => [...properties.keys()]),
    values: updates.map(({ properties }) => [...properties.values()]),
  };
  const namesFollowed = updates.some(({ properties }) => followers.some(([, name]) => properties.has(name)));
  await connections.run('update', async (client) => {
    await client.command({
      ...boundQuery(updateStatement(namesFollowed), params, connections.embedded),
      clickhouse_settings: { max_query_size: largestStatement },
    });
  });
}
