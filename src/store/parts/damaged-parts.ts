/**
 * # Damaged parts
 *
 * A part is a folder of immutable files with checksums. Once a file is damaged (a flipped bit, an unreadable sector), the engine fails
 * every read, merge and mutation that needs it. At its start it moves a part that it cannot load into the table's folder `detached` and
 * continues without its rows. It reports neither, so this file watches for its failures.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Connections } from '../engine/connections.ts';
import { damagedPartOf, engineErrorOf, type NamedPart, storeFailure } from '../engine/failure.ts';

export interface DamagedPart {
  readonly table: string;
  readonly part: string;
  /** Null when unknown. */
  readonly rows: number | null;
  /** The engine could not load it at its start and moved it aside: no result contains its rows. */
  readonly isLost: boolean;
}

/** Receives each damaged part once. */
export type OnDamage = (part: DamagedPart) => void;

export interface KnownDamage {
  readonly parts: () => readonly DamagedPart[];
  /** Adds a part whose check of files against checksums failed. @throws GatelogError when the store fails. */
  readonly add: (table: string, part: string) => Promise<void>;
  /** Looks for parts that the engine has moved aside, and drops parts that no longer exist. @throws GatelogError when the store fails. */
  readonly refresh: () => Promise<void>;
}

export interface DamageWatch extends KnownDamage {
  /** Note damage in their failures. */
  readonly connections: Connections;
  readonly end: () => Promise<void>;
}

/** Interval of the checks of known damage. */
const refreshMs = 60_000;
/** Prefix of the names of parts that the engine has moved aside. */
export const lostPrefix = 'broken';

const activeQuery = `SELECT table, name AS part, arrayElement(splitByChar('/', path), -3) AS tableId, rows FROM system.parts WHERE database = currentDatabase() AND active`;
const lostQuery = `SELECT table, name AS part, path AS folder FROM system.detached_parts WHERE database = currentDatabase() AND startsWith(name, '${lostPrefix}') ORDER BY table, name`;
/** Mutations that fail repeatedly. */
const stuckQuery = `SELECT latest_fail_reason AS reason FROM system.mutations WHERE database = currentDatabase() AND NOT is_done AND latest_fail_reason != ''`;

export function watchDamage(opened: Connections, onDamage: OnDamage = () => undefined): DamageWatch {
  const known = new Map<string, DamagedPart>();
  /** Noted parts: the table, or the engine's id of it, with the name of the part. */
  const named = new Set<string>();
  let turn: Promise<void> = Promise.resolve();

  const look = async (): Promise<void> => {
    for (const reason of await stuckReasons(opened)) {
      const part = damagedPartOf(engineErrorOf(reason));
      if (part !== undefined) named.add(nameOf(part));
    }
    const asked = [...named];
    const active = asked.length === 0 ? [] : await activeParts(opened);
    const found = [...active.filter((row) => namesOf(row).some((name) => asked.includes(name))), ...(await lostParts(opened))];
    const still = new Set(active.flatMap(namesOf));
    for (const name of asked) if (!still.has(name)) named.delete(name);
    const before = new Set(known.keys());
    known.clear();
    for (const { table, part, rows, isLost } of found) {
      known.set(`${table}/${part}`, { table, part, rows, isLost });
      if (!before.has(`${table}/${part}`)) onDamage({ table, part, rows, isLost });
    }
  };
  const refresh = (): Promise<void> => {
    turn = turn.catch(() => undefined).then(look);
    return turn;
  };
  /** The next check follows a failed one. */
  const lookQuietly = (): Promise<void> => refresh().catch(() => undefined);
  const note = (error: unknown): void => {
    const part = damagedPartOf(error);
    if (part === undefined || named.has(nameOf(part))) return;
    named.add(nameOf(part));
    void lookQuietly();
  };
  const timer = setInterval(() => void lookQuietly(), refreshMs);
  timer.unref();
  return {
    connections: { ...opened, run: (lane, work, asker) => heard(note, () => opened.run(lane, work, asker)) },
    parts: () => [...known.values()],
    add: (table, part) => {
      named.add(`${table}/${part}`);
      return refresh();
    },
    refresh,
    end: () => {
      clearInterval(timer);
      return turn.catch(() => undefined);
    },
  };
}

async function heard<Result>(note: (error: unknown) => void, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    note(error);
    throw error;
  }
}

function namesOf(row: DamagedPart & NamedPart): readonly string[] {
  return [nameOf(row), `${row.table}/${row.part}`];
}

function nameOf({ tableId, part }: NamedPart): string {
  return `${tableId}/${part}`;
}

async function stuckReasons(connections: Connections): Promise<readonly string[]> {
  return (await rowsOf<{ readonly reason: string }>(connections, stuckQuery)).map(({ reason }) => reason);
}

async function activeParts(connections: Connections): Promise<readonly (DamagedPart & NamedPart)[]> {
  const rows = await rowsOf<NamedPart & { readonly table: string; readonly rows: number | string }>(connections, activeQuery);
  return rows.map((row) => ({ ...row, rows: Number(row.rows), isLost: false }));
}

async function lostParts(connections: Connections): Promise<readonly DamagedPart[]> {
  const rows = await rowsOf<{ readonly table: string; readonly part: string; readonly folder: string }>(connections, lostQuery);
  return Promise.all(rows.map(async ({ table, part, folder }) => ({ table, part, rows: await countedRows(folder), isLost: true })));
}

/** The part's own count; null when it is damaged too, or on another machine. */
async function countedRows(folder: string): Promise<number | null> {
  try {
    const text = await readFile(path.join(folder, 'count.txt'), 'utf8');
    return /^\d{1,15}$/.test(text.trim()) ? Number(text) : null;
  } catch {
    return null;
  }
}

async function rowsOf<Row>(connections: Connections, query: string): Promise<readonly Row[]> {
  try {
    return await connections.run('control', async (client) => (await client.query({ query, format: 'JSONEachRow' })).json<Row>());
  } catch (error) {
    throw storeFailure(error);
  }
}
