import { randomUUID } from 'node:crypto';
import { select } from '../../sql/query.ts';
import { sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { runWrite } from '../engine/disk-space.ts';
import { isMissingTable, storeFailure } from '../engine/failure.ts';
import { copiesAll } from './copied-tables.ts';
import { laneSettings } from './lane-settings.ts';

/** Which store this is, of which ones it is a copy, and whether it got the records from one of them. */
export interface StoreIdentity {
  readonly id: string | undefined;
  readonly copyOf: readonly string[];
  /** The number of the move by which it got the records; undefined: none came by a move. */
  readonly move: number | undefined;
  /** A damaged part was set aside: a copy may have rows that this one has lost. */
  readonly isIncomplete: boolean;
  /** Nothing is stored in it. */
  readonly isEmpty: boolean;
}

export interface Identities {
  /** Also of a store without tables. */
  readonly read: () => Promise<StoreIdentity>;
  /** Gives the store an identity where it has none. @returns the one that it has. */
  readonly name: (id?: string) => Promise<string>;
  /** Notes that the store is a copy of other ones. */
  readonly markCopy: (of: readonly string[]) => Promise<void>;
  /** Notes that the store gets the records. @param move higher than that of the store that had them. */
  readonly markMove: (move: number) => Promise<void>;
  /** Notes that a part was set aside. */
  readonly markIncomplete: () => Promise<void>;
}

/**
 * TRICKY: the table of the schema's steps holds it, under a number that no step has: a backup leaves that table out, so a restored store has
 * none, and is a store of its own.
 */
const noStep = 0;
const [idPrefix, copyPrefix, movePrefix] = ['store ', 'copy of ', 'records by move '];
const incomplete = 'a part was set aside';
const uuid = /^[0-9a-f-]{36}$/;

const nothing: StoreIdentity = { id: undefined, copyOf: [], move: undefined, isIncomplete: false, isEmpty: true };
const anyRequest = compileForAll(select({ columns: sql`1 AS one`, from: acrossOrganizations('requests', copiesAll), limit: 1 })).text;

/** @throws (from each) GatelogError when the store fails, or has no room. */
export function makeIdentities(connections: Connections): Identities {
  const query = <Row>(text: string): Promise<readonly Row[]> =>
    connections.run('copy', async (client) =>
      (await client.query({ query: text, format: 'JSONEachRow', clickhouse_settings: { ...laneSettings } })).json<Row>(),
    );
  const add = async (names: readonly string[]): Promise<void> => {
    if (names.length === 0) return;
    const rows = names.map((name) => `(${noStep}, '${name}')`).join(', ');
    try {
      await runWrite(connections, 'copy', (client) =>
        client.command({ query: `INSERT INTO schema_migrations (number, name) VALUES ${rows}` }),
      );
    } catch (error) {
      throw storeFailure(error);
    }
  };
  const read = async (): Promise<StoreIdentity> => {
    try {
      const rows = await query<{ name: string }>(`SELECT name FROM schema_migrations WHERE number = ${noStep} ORDER BY applied_at`);
      const named = (prefix: string): readonly string[] =>
        rows.flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
      const moves = named(movePrefix).map(Number);
      const [first] = await query<{ one: number }>(anyRequest);
      return {
        id: named(idPrefix)[0],
        copyOf: [...new Set(named(copyPrefix))],
        move: moves.length === 0 ? undefined : Math.max(...moves),
        isIncomplete: rows.some(({ name }) => name === incomplete),
        isEmpty: first === undefined,
      };
    } catch (error) {
      if (isMissingTable(error)) return nothing;
      throw storeFailure(error);
    }
  };
  return {
    read,
    name: async (id = randomUUID()) => {
      const { id: known } = await read();
      if (known !== undefined) return known;
      await add([idPrefix + checked(id)]);
      return id;
    },
    markCopy: async (of) => {
      const { copyOf } = await read();
      await add(of.filter((id) => !copyOf.includes(id)).map((id) => copyPrefix + checked(id)));
    },
    markIncomplete: async () => {
      if (!(await read()).isIncomplete) await add([incomplete]);
    },
    markMove: async (move) => {
      if ((await read()).move !== move) await add([movePrefix + String(Math.trunc(move))]);
    },
  };
}

function checked(id: string): string {
  if (!uuid.test(id)) throw new TypeError(`${id} is no identity of a store.`);
  return id;
}
