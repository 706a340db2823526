import { type OrganizationId, uuidToNumber } from '../../model/ids.ts';
import { parseMoney, usdOrNull } from '../../model/pricing/money.ts';
import { unknownModel } from '../../model/record/call-details.ts';
import { countColumns } from '../../model/record/usage.ts';
import { deleteRows, updateRows } from '../../sql/commands.ts';
import { identifier } from '../../sql/identifier.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, param, sql } from '../../sql/sql.ts';
import { compileFor } from '../../sql/statement.ts';
import { type OrganizationTable, tenantRows, requests, type Rows } from '../../sql/tables.ts';
import { keepWordsOfOthers } from '../parts/keep-words.ts';
import { readForRemoval, removalSettings, removeRows, type RemovingParts } from '../parts/remove-rows.ts';
import type { Connections } from '../engine/connections.ts';
import { changeFailure } from '../engine/failure.ts';
import { readRows } from '../engine/statements.ts';
import { type PatchParts, updateSettings, writePatch } from '../update/change.ts';
import { displayValue } from '../update/display.ts';
import type { PendingPatches } from '../update/pending-patches.ts';
import { fillDetails, moveChanges, type ToldDetails } from './joined-details.ts';
import { insertJoined, type JoinedValue, type Teller } from './joined-history.ts';
import { isNamed, type StoredName } from './stored-name.ts';

/** Makes two records of one call into one. Repeating any changes nothing. All throw GatelogError when the store fails. */
export interface JoinRecords {
  /** Gives one record the counts and the cost of another, where both are. The history names the key of the other one's span. */
  readonly moveNumbers: (organizationId: OrganizationId, from: Teller, into: StoredName) => Promise<void>;
  /** Gives a record what a span tells of its call and it lacks. The history names the key of the span. */
  readonly fillDetails: (organizationId: OrganizationId, into: StoredName, told: ToldDetails) => Promise<void>;
  /** Gives a record the history of another, and the scores and the feedback that it has not itself. */
  readonly moveChanges: (organizationId: OrganizationId, from: StoredName, into: StoredName) => Promise<void>;
  /** Removes a record with its bodies and its history. */
  readonly remove: (organizationId: OrganizationId, records: readonly StoredName[], signal: AbortSignal) => Promise<void>;
}

const countNames = ['total_tokens', ...Object.keys(countColumns)];
const firstToken = 'time_to_first_token';
const priceNames = ['usage_raw', 'cost_source', 'price_reference', 'applied_price'] as const;
/** By which the counts are priced; those that are not told stay. */
const pricedNames = ['service_tier', 'request_model', 'response_model', 'model'] as const;
const textNames = [...priceNames, ...pricedNames];
const bytesOfPatch = 8 * 1024;

type NumbersRow = Readonly<Record<string, string>> & {
  readonly part_names: readonly string[];
  readonly part_counts: readonly (string | number)[];
  readonly estimated: boolean;
};

export function makeJoinRecords(connections: Connections, patches: PendingPatches): JoinRecords {
  return {
    moveNumbers: (...args) => moveNumbers({ connections, patches }, ...args),
    fillDetails: (...args) => fillDetails({ connections, patches }, ...args),
    moveChanges: (...args) => moveChanges({ connections, patches }, ...args),
    remove: async (organizationId, records, signal) => {
      const parts: RemovingParts = { connections, signal };
      // TRICKY: the request after its bodies. Who repeats a removal that was broken off knows of the record by its request; bodies without
      // one would stay for good, and no erasure of a user would find them. What came for the request meanwhile goes after it.
      const tables = ['changes', 'bodies', 'bodies_before', 'requests', 'bodies', 'changes'] as const;
      for (const table of tables) await removeFrom(parts, organizationId, table, records);
    },
  };
}

async function moveNumbers(parts: PatchParts, organizationId: OrganizationId, from: Teller, into: StoredName): Promise<void> {
  const { connections } = parts;
  const [row, before] = await Promise.all([from, into].map((of) => readNumbers(connections, organizationId, of)));
  if (row === undefined || before === undefined) return;
  try {
    const values = changedNumbers(before, row);
    if (values.length > 0) await insertJoined(connections, organizationId, { teller: from, into, part: 'numbers', values });
    const update = compileFor(organizationId, updateRows(requests(isNamed(into)), assignmentsOf(row)));
    await writePatch(parts, update, bytesOfPatch + (row['usage_raw_text'] ?? '').length);
  } catch (error) {
    throw changeFailure(error);
  }
}

async function readNumbers(connections: Connections, organizationId: OrganizationId, of: StoredName): Promise<NumbersRow | undefined> {
  const texts = [...countNames, 'cost', firstToken].map(
    (name) => sql`ifNull(toString(${identifier(name)}), '') AS ${identifier(`${name}_text`)}`,
  );
  const parts = sql`mapKeys(usage_parts) AS part_names, mapValues(usage_parts) AS part_counts, usage_estimated AS estimated`;
  const columns = join(
    [...texts, ...textNames.map((name) => sql`toString(${identifier(name)}) AS ${identifier(`${name}_text`)}`), parts],
    ', ',
  );
  const read = compileFor(organizationId, select({ columns, from: requests(isNamed(of)), limit: 1 }));
  return (await readRows<NumbersRow>(connections, 'update', read, updateSettings))[0];
}

const readNumber = (text: string): number | null => (text === '' ? null : Number(text));
const readCost = (text: string): number | null => usdOrNull(text === '' ? null : (parseMoney(text) ?? null));
const readText = (text: string): string | null => (text === '' || text === unknownModel ? null : text);

/** What the history shows of numbers that take the place of others, and how it reads them. */
const shownNumbers = [
  { kind: 'usage', name: 'prompt_tokens', read: readNumber },
  { kind: 'usage', name: 'completion_tokens', read: readNumber },
  { kind: 'cost', name: 'cost', read: readCost },
  { kind: 'fields', name: firstToken, read: readNumber },
  ...pricedNames.map((name) => ({ kind: 'fields', name, read: readText }) as const),
] as const;

function changedNumbers(before: NumbersRow, after: NumbersRow): readonly JoinedValue[] {
  return shownNumbers.flatMap(({ kind, name, read }): readonly JoinedValue[] => {
    const [old = null, told = null] = [before, after].map((row) => read(row[`${name}_text`] ?? ''));
    // A field that is not told stays.
    return old === told || (kind === 'fields' && told === null) ? [] : [{ kind, name, old, new: told }];
  });
}

function assignmentsOf(row: NumbersRow): readonly Fragment[] {
  const text = (name: string): string => row[`${name}_text`] ?? '';
  const values = new Map<string, Fragment>([
    ...countNames.map((name) => [name, sql`toUInt64OrNull(${param(text(name), 'String', name)})`] as const),
    ...[...priceNames, ...pricedNames.filter((name) => text(name) !== '' && text(name) !== unknownModel)].map(
      (name) => [name, sql`${param(text(name), 'String', name)}`] as const,
    ),
    ...(text(firstToken) === '' ? [] : [[firstToken, sql`toUInt64OrNull(${param(text(firstToken), 'String', firstToken)})`] as const]),
    ['cost', sql`toDecimal128OrNull(${param(text('cost'), 'String', 'cost')}, 12)`],
    [
      'usage_parts',
      sql`mapFromArrays(${param(row.part_names, 'Array(String)', 'part_names')}, ${param(row.part_counts.map(BigInt), 'Array(UInt64)', 'part_counts')})`,
    ],
    ['usage_estimated', row.estimated ? sql`true` : sql`false`],
  ]);
  return [
    ...Array.from(values, ([column, value]) => sql`${identifier(column)} = ${value}`),
    sql`display = ${displayValue(values)}`,
    sql`updated_at = now64(3, 'UTC')`,
  ];
}

export async function removeFrom(
  parts: RemovingParts,
  organizationId: OrganizationId,
  table: OrganizationTable,
  records: readonly StoredName[],
): Promise<void> {
  const ids = param(
    records.map(({ requestId }) => uuidToNumber(requestId)),
    'Array(UInt128)',
    'requests',
  );
  const isNamedHere = sql`request_id IN ${ids}`;
  const rows: Rows = tenantRows(table, isNamedHere);
  const [found] = await readForRemoval(parts, compileFor(organizationId, select({ columns: sql`1 AS one`, from: rows, limit: 1 })));
  if (found === undefined) return;
  if (table === 'bodies') await keepWordsOfOthers(parts, organizationId, isNamedHere);
  await removeRows(parts, table, compileFor(organizationId, deleteRows(rows, { by: 'hiding', settings: removalSettings })));
}
