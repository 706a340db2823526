import { randomUUID } from 'node:crypto';
import type { Connections } from '../engine/connections.ts';
import { storeFailure } from '../engine/failure.ts';

/** Which store this is, of which ones it is a copy, and whether it got the records from one of them. */
export interface StoreIdentity {
  readonly id: string | undefined;
  readonly copyOf: readonly string[];
  /** The number of the move by which it got the records; undefined: none came by a move. */
  readonly move: number | undefined;
  /** Nothing is stored in it. */
  readonly isEmpty: boolean;
}

export interface Identities {
  readonly read: () => Promise<StoreIdentity>;
  /** Gives the store an identity where it has none. @returns the one that it has. */
  readonly name: (id?: string) => Promise<string>;
  /** Notes that the store is a copy of another one. */
  readonly markCopy: (of: string) => Promise<void>;
  /** Notes that the store gets the records. @param move higher than that of the store that had them. */
  readonly markMove: (move: number) => Promise<void>;
}

/**
 * TRICKY: the table of the schema's steps holds it, under a number that no step has: a backup leaves that table out, so a restored store has
 * none, and is a store of its own.
 */
const noStep = 0;
const [idPrefix, copyPrefix, movePrefix] = ['store ', 'copy of ', 'records by move '];
const uuid = /^[0-9a-f-]{36}$/;

/** @throws (from each) GatelogError when the store fails. */
export function makeIdentities(connections: Connections): Identities {
  const query = async <Row>(text: string): Promise<readonly Row[]> => {
    try {
      return await connections.run('control', async (client) => (await client.query({ query: text, format: 'JSONEachRow' })).json<Row>());
    } catch (error) {
      throw storeFailure(error);
    }
  };
  const add = async (name: string): Promise<void> => {
    try {
      const text = `INSERT INTO schema_migrations (number, name) VALUES (${noStep}, '${name}')`;
      await connections.run('copy', (client) => client.command({ query: text }));
    } catch (error) {
      throw storeFailure(error);
    }
  };
  const read = async (): Promise<StoreIdentity> => {
    const rows = await query<{ name: string }>(`SELECT name FROM schema_migrations WHERE number = ${noStep} ORDER BY applied_at`);
    const named = (prefix: string): readonly string[] =>
      rows.flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
    const moves = named(movePrefix).map(Number);
    const [first] = await query<{ one: number }>('SELECT 1 AS one FROM requests LIMIT 1');
    return {
      id: named(idPrefix)[0],
      copyOf: named(copyPrefix),
      move: moves.length === 0 ? undefined : Math.max(...moves),
      isEmpty: first === undefined,
    };
  };
  return {
    read,
    name: async (id = randomUUID()) => {
      const { id: known } = await read();
      if (known !== undefined) return known;
      await add(idPrefix + checked(id));
      return id;
    },
    markCopy: async (of) => {
      if (!(await read()).copyOf.includes(of)) await add(copyPrefix + checked(of));
    },
    markMove: async (move) => {
      if ((await read()).move !== move) await add(movePrefix + String(Math.trunc(move)));
    },
  };
}

function checked(id: string): string {
  if (!uuid.test(id)) throw new TypeError(`${id} is no identity of a store.`);
  return id;
}
