import { randomUUID } from 'node:crypto';
import type { Connections } from '../engine/connections.ts';
import { storeFailure } from '../engine/failure.ts';

/** Which store this is, and of which ones it is a copy. */
export interface StoreIdentity {
  readonly id: string | undefined;
  readonly copyOf: readonly string[];
  /** Nothing is stored in it. */
  readonly isEmpty: boolean;
}

export interface Identities {
  readonly read: () => Promise<StoreIdentity>;
  /** Gives the store an identity where it has none. @returns the one that it has. */
  readonly name: (id?: string) => Promise<string>;
  /** Notes that the store is a copy of another one. */
  readonly markCopy: (of: string) => Promise<void>;
}

/**
 * TRICKY: the table of the schema's steps holds it, under a number that no step has: a backup leaves that table out, so a restored store has
 * none, and is a store of its own.
 */
const noStep = 0;
const [idPrefix, copyPrefix] = ['store ', 'copy of '];
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
      await connections.run('insert', (client) =>
        client.command({ query: `INSERT INTO schema_migrations (number, name) VALUES (${noStep}, '${name}')` }),
      );
    } catch (error) {
      throw storeFailure(error);
    }
  };
  const read = async (): Promise<StoreIdentity> => {
    const rows = await query<{ name: string }>(`SELECT name FROM schema_migrations WHERE number = ${noStep} ORDER BY applied_at`);
    const named = (prefix: string): readonly string[] =>
      rows.flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
    const [first] = await query<{ one: number }>('SELECT 1 AS one FROM requests LIMIT 1');
    return { id: named(idPrefix)[0], copyOf: named(copyPrefix), isEmpty: first === undefined };
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
  };
}

function checked(id: string): string {
  if (!uuid.test(id)) throw new TypeError(`${id} is no identity of a store.`);
  return id;
}
