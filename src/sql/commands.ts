import { literal } from './literal.ts';
import { concat, type Fragment, fragmentOf, join, type Parts, type Piece, type Query } from './sql.ts';
import { type OrganizationTable, type Rows, tableOf, whereOf } from './tables.ts';

/** A statement that changes something. */
export interface Command {
  readonly kind: 'command';
  readonly pieces: readonly Piece[];
}

/** Settings of one statement by their names. */
export type CommandSettings = Readonly<Record<string, string | number>>;

/** Changes rows by a patch beside their parts. @param assignments each `column = value`. */
export function updateRows(rows: Rows, assignments: readonly Fragment[]): Command {
  return commandOf(['UPDATE ', ...tableOf(rows), ' SET ', join(assignments, ', '), ...someRows(rows)]);
}

/** Changes rows by rewriting their parts. */
export function rewriteRows(rows: Rows, assignments: readonly Fragment[], settings: CommandSettings): Command {
  const table = tableOf(rows);
  return commandOf(['ALTER TABLE ', ...table, ' UPDATE ', join(assignments, ', '), ...someRows(rows), ...settingsClause(settings)]);
}

/** How rows are deleted. */
export interface Deletion {
  /** `hide` by a mask beside their parts, or rewrite the parts without them. */
  readonly by: 'hiding' | 'rewriting';
  /** Identifier of the one partition in which they are; absent: of any. */
  readonly partition?: string;
  readonly settings: CommandSettings;
}

export function deleteRows(rows: Rows, { by, partition, settings }: Deletion): Command {
  const table = tableOf(rows);
  const within: Parts = partition === undefined ? [] : [' IN PARTITION ID ', literal(partition)];
  const begin: Parts = by === 'hiding' ? ['DELETE FROM ', ...table] : ['ALTER TABLE ', ...table, ' DELETE'];
  return commandOf([...begin, ...within, ...someRows(rows), ...settingsClause(settings)]);
}

/** Inserts what a query finds; the query gives all columns of the table. */
export function insertSelected(table: OrganizationTable, query: Query): Command {
  return commandOf([`INSERT INTO ${table} `, fragmentOf(query.pieces)]);
}

/** Where inserted rows come from: behind the statement in a format, or from a file that the engine reads, whose columns `structure` declares. */
export type RowSource =
  | { readonly format: 'RowBinary' | 'JSONCompactEachRow' }
  | { readonly file: string; readonly format: 'RowBinary'; readonly structure: string };

export interface Insertion {
  readonly table: OrganizationTable;
  readonly columns: readonly string[];
  readonly settings: CommandSettings;
}

/** Inserts rows, each of which names its organisation. @throws TypeError for columns without the organisation's. */
export function insertRows({ table, columns, settings }: Insertion, source: RowSource): Command {
  if (!columns.includes('org_id')) throw new TypeError(`Rows of ${table} name their organisation.`);
  const names = columns.join(', ');
  const into: Parts = [`INSERT INTO ${table} (${names})`, ...settingsClause(settings)];
  if (!('file' in source)) return commandOf([...into, ` FORMAT ${source.format}`]);
  const { file, format, structure } = source;
  return commandOf([...into, ` SELECT ${names} FROM file(`, literal(file), `, ${format}, `, literal(structure), ')']);
}

/** Does something to a whole table. @throws TypeError for rows of one organisation: no part or setting of a table is its own. */
export function alterTable(rows: Rows, action: Fragment, settings: CommandSettings = {}): Command {
  return commandOf(['ALTER TABLE ', ...wholeTable(rows), ' ', action, ...settingsClause(settings)]);
}

/** Takes a table, with all of its files, out of the engine's hands. @throws TypeError for rows of one organisation. */
export function detachTable(rows: Rows, when: 'now' | 'when unused'): Command {
  return commandOf(['DETACH TABLE ', ...wholeTable(rows), when === 'now' ? '' : ' SYNC']);
}

/** Gives the table back to the engine, which reads its folder anew. @throws TypeError for rows of one organisation. */
export function attachTable(rows: Rows): Command {
  return commandOf(['ATTACH TABLE ', ...wholeTable(rows)]);
}

/** Reads all files of a part. @throws TypeError for rows of one organisation. */
export function checkTable(rows: Rows, part: string): Command {
  return commandOf(['CHECK TABLE ', ...wholeTable(rows), ' PART ', literal(part), ' SETTINGS check_query_single_value_result = 0']);
}

function wholeTable(rows: Rows): Parts {
  if (!rows.across || rows.condition.pieces.length > 0) throw new TypeError('This concerns a whole table.');
  return tableOf(rows);
}

/** TRICKY: rows without a condition are a fault in our own code; the engine would change all of them. */
function someRows(rows: Rows): Parts {
  const where = whereOf(rows);
  if (where.length === 0) throw new TypeError('Only some rows are changed or deleted.');
  return where;
}

function settingsClause(settings: CommandSettings): Parts {
  const set = Object.entries(settings).map(([name, value]) => fragmentOf(concat([`${name} = `, literal(value)])));
  return set.length === 0 ? [] : [' SETTINGS ', join(set, ', ')];
}

function commandOf(parts: Parts): Command {
  return Object.freeze({ kind: 'command', pieces: Object.freeze(concat(parts)) });
}
