import { rename } from 'node:fs/promises';
import path from 'node:path';
import { GatelogError } from '../../model/errors.ts';
import { isMissing, syncFolder } from '../../platform/files.ts';
import { alterTable, attachTable, checkTable, detachTable } from '../../sql/commands.ts';
import { literal } from '../../sql/literal.ts';
import { sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations, isStoreTable, type OrganizationTable, type Rows } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { type KnownDamage, lostPrefix } from './damaged-parts.ts';
import { engineCodeOf, engineErrorOf, storeFailure } from '../engine/failure.ts';
import { keepWordsWithoutPart } from './keep-words.ts';
import { runInTurn } from './remove-rows.ts';
import { assertFreeSpace } from '../engine/disk-space.ts';
import { readRows, runCommand } from '../engine/statements.ts';

/** The result of reading all files of a part. `gone`: a merge has replaced it meanwhile. */
export type PartCheck = { readonly outcome: 'whole' | 'gone' } | { readonly outcome: 'damaged'; readonly reason: string };

/** Compares all files of a part with their checksums. @throws GatelogError `not_found` for an unknown table, or when the store fails. */
export type CheckPart = (table: string, part: string) => Promise<PartCheck>;

/** A part outside its table, in a folder that the engine does not read. */
export interface PartSetAside {
  readonly folder: string;
}

/**
 * Removes a damaged part from its table, or renames one that the engine itself has moved aside, so that it is no longer reported.
 * @throws GatelogError `not_found` for an unknown part, `invalid_parameter` for a whole one, or when the store fails.
 */
export type SetAside = (table: string, part: string) => Promise<PartSetAside>;

/** Maximum wait for exclusive use of a table; queries time out before. */
const aloneWaitMs = 90_000;
const noSuchPart = '232';
/** The code for a part with pending patches: the engine must apply them first, and cannot read a damaged part. */
const hasPatches = '344';

/** Runs in the `removal` lane, one part at a time, so that other work comes in between. */
export function makeCheckPart(connections: Connections, damage: KnownDamage): CheckPart {
  return async (table, part) => {
    checkNames(table, part);
    try {
      const statement = compileForAll(checkTable(tableAsRows(table), part));
      const rows = await readRows<{ readonly is_passed: number; readonly message: string }>(connections, 'removal', statement);
      const failed = rows.find((row) => row.is_passed !== 1);
      if (failed === undefined) return { outcome: rows.length === 0 ? 'gone' : 'whole' };
      await damage.add(table, part);
      return { outcome: 'damaged', reason: `engine error ${engineCodeOf(engineErrorOf(failed.message)) ?? ''}` };
    } catch (error) {
      if (engineCodeOf(error) === noSuchPart) return { outcome: 'gone' };
      throw storeFailure(error);
    }
  };
}

/** @returns undefined for a ClickHouse server, whose files are elsewhere. */
export function makeSetAside(connections: Connections, damage: KnownDamage): SetAside | undefined {
  if (!connections.embedded) return undefined;
  const check = makeCheckPart(connections, damage);
  return async (table, part) => {
    checkNames(table, part);
    const tableFolder = await folderOf(connections, table);
    const detached = path.join(tableFolder, 'detached');
    if (part.startsWith(lostPrefix)) {
      const folder = path.join(detached, part.slice(part.indexOf('_') + 1));
      await renameOrRefuse(path.join(detached, part), folder);
      if (table === 'bodies') await keepWordsWithoutPart(connections);
      await damage.refresh();
      return { folder };
    }
    await refuseIntact(await check(table, part), damage, { table, part });
    const folder = path.join(detached, part);
    await detach(connections, { table, part, from: path.join(tableFolder, part), folder });
    if (table === 'bodies') await keepWordsWithoutPart(connections);
    await damage.refresh();
    return { folder };
  };
}

interface Detaching {
  readonly table: OrganizationTable;
  readonly part: string;
  readonly from: string;
  readonly folder: string;
}

async function refuseIntact(checked: PartCheck, damage: KnownDamage, { table, part }: Pick<Detaching, 'table' | 'part'>): Promise<void> {
  if (checked.outcome === 'gone') throw new GatelogError('not_found', `The store has no part ${table}/${part}, or not any more.`);
  const isKnown = damage.parts().some((known) => known.table === table && known.part === part);
  if (checked.outcome === 'whole' && !isKnown) {
    throw new GatelogError('invalid_parameter', `The part ${table}/${part} is whole: only a damaged one is set aside.`);
  }
}

async function detach(connections: Connections, detaching: Detaching): Promise<void> {
  // The engine has no statement that detaches a patch part.
  if (detaching.part.startsWith('patch-')) {
    await detachAlone(connections, detaching);
    return;
  }
  const { signal } = new AbortController();
  try {
    const detachment = alterTable(tableAsRows(detaching.table), sql`DETACH PART ${literal(detaching.part)}`);
    await runInTurn({ connections, signal }, detaching.table, [compileForAll(detachment)]);
  } catch (error) {
    if (engineCodeOf(error) !== hasPatches) throw error;
    await detachAlone(connections, detaching);
  }
}

/**
 * Moves the part while neither a query nor the engine uses its table; the engine then finds the table without it. Queries wait meanwhile.
 * @throws GatelogError `service_busy` when the table does not become free in time, or when the store fails.
 */
async function detachAlone(connections: Connections, { table, from, folder }: Detaching): Promise<void> {
  const release = await holdAll(connections);
  try {
    await connections.run('control', async (client) => {
      assertFreeSpace(connections);
      const lane = { client, embedded: connections.embedded };
      await runCommand(lane, compileForAll(detachTable(tableAsRows(table), 'when unused')));
      try {
        await rename(from, folder);
        for (const changed of [folder, from]) syncFolder(path.dirname(changed));
      } finally {
        await runCommand(lane, compileForAll(attachTable(tableAsRows(table))));
      }
    });
  } catch (error) {
    throw storeFailure(error);
  } finally {
    release();
  }
}

/** Takes every connection except `control`. @returns their release. @throws GatelogError `service_busy` when one is not free in time. */
async function holdAll(connections: Connections): Promise<() => void> {
  const end = new AbortController();
  const release = (): void => end.abort();
  const released = new Promise<void>((resolve) => {
    end.signal.addEventListener('abort', () => resolve());
  });
  const lanes = connections.lanes().filter(({ name }) => name !== 'control');
  const wanted = lanes.flatMap(({ name, connections: count }) => Array.from({ length: count }, () => name));
  const deadline = AbortSignal.timeout(aloneWaitMs);
  const held = wanted.map(
    (lane, at) =>
      new Promise<void>((resolve, reject) => {
        const hold = (): Promise<void> => {
          resolve();
          return released;
        };
        // TRICKY: each has its own owner, because no owner gets all connections of a lane.
        connections.run(lane, hold, { owner: `set aside ${at}`, signal: deadline }).catch(reject);
      }),
  );
  try {
    await Promise.all(held);
    return release;
  } catch (error) {
    release();
    throw new GatelogError('service_busy', 'The store was too busy to set the part aside. Nothing was changed; try again.', {
      cause: error,
    });
  }
}

async function folderOf(connections: Connections, table: string): Promise<string> {
  const query = `SELECT data_paths[1] AS folder FROM system.tables WHERE database = currentDatabase() AND name = '${table}'`;
  try {
    const rows = await connections.run('control', async (client) =>
      (await client.query({ query, format: 'JSONEachRow' })).json<{ readonly folder: string }>(),
    );
    return rows[0]?.folder ?? '';
  } catch (error) {
    throw storeFailure(error);
  }
}

async function renameOrRefuse(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
    syncFolder(path.dirname(to));
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new GatelogError('not_found', 'The store has no such part, or not any more.', { cause: error });
  }
}

/** Both go into statements and paths. */
function checkNames(table: string, part: string): asserts table is OrganizationTable {
  if (isStoreTable(table) && /^[\w-]{1,200}$/.test(part)) return;
  throw new GatelogError('not_found', `The store has no part ${table}/${part}; "gatelog store check" shows what it has.`);
}

function tableAsRows(table: OrganizationTable): Rows {
  return acrossOrganizations(table, 'a part holds rows of many');
}
