import { alterTable, insertSelected } from '../../sql/commands.ts';
import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { identifier } from '../../sql/identifier.ts';
import { type Fragment, join, param, sql } from '../../sql/sql.ts';
import { type CompiledSql, compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations, bodiesColumns, type OrganizationTable, systemRows } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import type { Connections } from '../engine/connections.ts';
import { assertFreeSpace } from '../engine/disk-space.ts';
import { runCommand } from '../engine/statements.ts';
import { dropPartitions, inLane, readForRemoval, type RemovingParts, runInTurn, whenMutated } from '../parts/remove-rows.ts';

/**
 * Moves the bodies of before their groups (`bodies_before`) into `bodies`, in the order of time, a chunk at a time. Reads see each body
 * once meanwhile: those of before `migratedUntil` in `bodies`, the others in their old place (`bodies()` of `sql/tables.ts`).
 *
 * Crash cases.
 *   a chunk is half-copied        Its rows are marked as moved and are not read before `migratedUntil`. The next run copies the others.
 *   copied, and not on record     The next run finds nothing left to copy of it.
 *   a month is moved, not dropped The next run drops it.
 */
export interface MoveBodies {
  /** Continues an interrupted move. Call it before anything is read. @returns the number of rows to move. @throws GatelogError. */
  readonly open: () => Promise<number>;
  /**
   * Moves the next chunk. No removal may run meanwhile: it could be undone.
   * @returns the number of moved rows; undefined when there is nothing left.
   * @throws GatelogError when the store fails, `store_unavailable` without free disk space.
   */
  readonly step: (signal: AbortSignal) => Promise<number | undefined>;
  readonly state: () => MoveState;
}

export interface MoveState {
  readonly movedRows: number;
  readonly totalRows: number;
  readonly isDone: boolean;
}

export interface MoveOptions {
  readonly chunkRows: number;
  /** A month is dropped so long after it was moved: queries may still read it. */
  readonly maxQueryMs: number;
}

const defaultChunkRows = 5000;
const hourMs = 3_600_000;
const reason = 'a table is moved as a whole';

/**
 * One part per chunk and month. TRICKY: an insert of selected rows may be dropped as a repetition of one that was cut off; what is already
 * there is left out by its key instead.
 */
const copySettings = {
  max_threads: 1,
  max_insert_threads: 1,
  max_block_size: 256,
  min_insert_block_size_rows: 1_000_000,
  min_insert_block_size_bytes: 64 * 1024 * 1024,
  insert_deduplicate: 0,
};

export function makeMoveBodies(
  connections: Connections,
  { maxQueryMs, chunkRows = defaultChunkRows }: Partial<MoveOptions> & Pick<MoveOptions, 'maxQueryMs'>,
): MoveBodies {
  const { bodies } = connections;
  let [movedRows, totalRows] = [0, 0];
  let isReady = false;
  /** When the old table may be dropped, by `performance.now()`. */
  let dropAt: number | undefined;
  let hasCopied = false;
  const state = (): MoveState => ({ movedRows, totalRows, isDone: bodies.migratedUntil === undefined });
  return {
    state,
    open: async () => {
      const parts: RemovingParts = { connections, signal: new AbortController().signal };
      const migratedUntil = await readNumber(parts, migratedUntilQuery);
      totalRows = await readNumber(parts, countOf('bodies_before', []));
      movedRows = totalRows === 0 ? 0 : await readNumber(parts, countOf('bodies_before', [sql`created_at < ${dateTime64(migratedUntil)}`]));
      bodies.migratedUntil = totalRows === 0 ? undefined : migratedUntil;
      return totalRows - movedRows;
    },
    step: async (signal) => {
      const parts: RemovingParts = { connections, signal };
      if (bodies.migratedUntil === undefined) {
        if (dropAt !== undefined && performance.now() >= dropAt) {
          await dropMigratedMonths(parts, undefined);
          dropAt = undefined;
        }
        return dropAt === undefined ? undefined : 0;
      }
      if (!isReady) {
        await fixGroups(parts);
        await dropMigratedMonths(parts, bodies.migratedUntil);
        isReady = true;
      }
      const chunk = await nextChunk(parts, bodies.migratedUntil, chunkRows);
      if (chunk === undefined) {
        bodies.migratedUntil = undefined;
        // Queries that began before the last copy may still read old rows.
        dropAt = performance.now() + (hasCopied ? maxQueryMs : 0);
        return 0;
      }
      await copy(parts, bodies.migratedUntil, chunk.end);
      bodies.migratedUntil = chunk.end;
      hasCopied = true;
      movedRows += chunk.rows;
      return chunk.rows;
    },
  };
}

const materializeGroups = compileForAll(
  alterTable(acrossOrganizations('requests', reason), sql`MATERIALIZE COLUMN body_group`, { mutations_sync: 0 }),
);

/**
 * The groups of requests are fixed once the engine has written them into the parts; until then they follow the session.
 * TRICKY: a backup of an unfinished rewriting brings its old parts, and not the rewriting.
 */
async function fixGroups(parts: RemovingParts): Promise<void> {
  await whenMutated(parts, 'requests');
  const present = select({ columns: sql`name`, from: systemRows('parts_columns', [...partsOf('requests'), sql`column = 'body_group'`]) });
  const missing = select({
    columns: sql`count() AS number`,
    from: systemRows('parts', [...partsOf('requests'), sql`name NOT IN ${present}`, isNoPatch]),
  });
  if ((await readNumber(parts, compileForAll(missing))) === 0) return;
  await runInTurn(parts, 'requests', [materializeGroups]);
  await whenMutated(parts, 'requests');
}

/** A part of pending updates has the updated columns alone. */
const isNoPatch = sql`NOT startsWith(name, 'patch-')`;

function partsOf(table: OrganizationTable): readonly Fragment[] {
  return [sql`table = ${literal(table)} AND active AND rows > 0`];
}

/** The year 1900, the first that the store holds. */
const firstTime = -2_208_988_800_000;

const migratedUntilQuery = compileForAll(
  select({
    columns: sql`if(count() = 0, ${param(firstTime, 'Int64')}, toUnixTimestamp64Milli(max(moved_to))) AS number`,
    from: acrossOrganizations('body_moves', reason),
  }),
);

function countOf(table: OrganizationTable, where: readonly Fragment[]): CompiledSql {
  return compileForAll(select({ columns: sql`count() AS number`, from: acrossOrganizations(table, reason, where) }));
}

async function readNumber(parts: RemovingParts, statement: CompiledSql): Promise<number> {
  const [row] = await readForRemoval<{ readonly number: number | string }>(parts, statement);
  return Number(row?.number ?? 0);
}

interface Chunk {
  readonly rows: number;
  /** Unix milliseconds: the first time behind it. */
  readonly end: number;
}

/** @returns whole milliseconds of at least one row, of one hour, and of about `maxRows` at most. */
async function nextChunk(parts: RemovingParts, start: number, maxRows: number): Promise<Chunk | undefined> {
  const left = acrossOrganizations('bodies_before', reason, sql`created_at >= ${dateTime64(start)}`);
  const first = select({ columns: sql`count() AS number, toUnixTimestamp64Milli(min(created_at)) AS first`, from: left });
  const [found] = await readForRemoval<{ readonly number: number | string; readonly first: number | string }>(parts, compileForAll(first));
  if (found === undefined || Number(found.number) === 0) return undefined;
  const begin = Number(found.first);
  const endOfHour = (Math.floor(begin / hourMs) + 1) * hourMs;
  const within = [sql`created_at >= ${dateTime64(begin)}`, sql`created_at < ${dateTime64(endOfHour)}`];
  const times = select({
    columns: sql`toUnixTimestamp64Milli(created_at) AS time`,
    from: acrossOrganizations('bodies_before', reason, within),
    orderBy: sql`created_at`,
    limit: param(maxRows, 'UInt64'),
  });
  const query = select({ columns: sql`count() AS rows, max(time) AS last`, from: times });
  const [chunk] = await readForRemoval<{ readonly rows: number | string; readonly last: number | string }>(parts, compileForAll(query));
  const rows = Number(chunk?.rows ?? 0);
  return { rows, end: rows < maxRows ? endOfHour : Number(chunk?.last ?? 0) + 1 };
}

/** Spans are of later texts alone. */
const copied = ['org_id', ...bodiesColumns.filter((name) => !name.endsWith('_spans'))];

/** Bodies without a request are the remains of a batch, which brings them again. */
async function copy(parts: RemovingParts, start: number, end: number): Promise<void> {
  const { connections } = parts;
  const within = [sql`created_at >= ${dateTime64(start)}`, sql`created_at < ${dateTime64(end)}`];
  const key = sql`org_id, created_at, request_id`;
  const movedKeys = select({ columns: key, from: acrossOrganizations('bodies', reason, within) });
  const missing = select({
    columns: join(copied.map(identifier), ', '),
    from: acrossOrganizations('bodies_before', reason, [...within, sql`(${key}) NOT IN ${movedKeys}`]),
  });
  const placed = select({ columns: sql`${key}, body_group, true AS is_stored`, from: acrossOrganizations('requests', reason, within) });
  const query = select({
    columns: sql`${join(copied.map(identifier), ', ')}, body_group, true`,
    from: { kind: 'joined', query: missing, as: 'texts', joins: [{ query: placed, as: 'placed', using: key }] },
    where: [sql`is_stored`],
  });
  await inLane(connections, 'removal', async (lane) => {
    assertFreeSpace(connections);
    await runCommand(
      lane,
      compileForAll(insertSelected({ table: 'bodies', columns: [...copied, 'body_group', 'moved'], settings: copySettings }, query)),
    );
    await runCommand(
      lane,
      compileForAll(insertSelected({ table: 'body_moves', columns: ['moved_to'] }, select({ columns: dateTime64(end) }))),
    );
  });
}

/** Drops months of which all rows are moved. @param migratedUntil undefined: all. */
async function dropMigratedMonths(parts: RemovingParts, migratedUntil: number | undefined): Promise<void> {
  const month = sql`toUInt32OrZero(partition_id)`;
  const query = select({
    distinct: true,
    columns: sql`partition_id AS partition`,
    from: systemRows('parts', [
      ...partsOf('bodies_before'),
      ...(migratedUntil === undefined ? [] : [sql`${month} < toYYYYMM(${dateTime64(migratedUntil)})`]),
    ]),
    orderBy: sql`partition`,
  });
  const found = await readForRemoval<{ readonly partition: string }>(parts, compileForAll(query));
  await dropPartitions(
    parts,
    'bodies_before',
    found.map(({ partition }) => partition),
  );
}
