import { literal } from './literal.ts';
import { concat, type Fragment, fragmentOf, join, type Parts, type Piece, type Query } from './sql.ts';
import { type OrganizationTable, type Rows, type StoreTable, tableOf, whereOf } from './tables.ts';

export interface Command {
  readonly kind: 'command';
  readonly pieces: readonly Piece[];
}

export type CommandSettings = Readonly<Record<string, string | number>>;

/** Changes rows by patch parts. @param assignments each `column = value`. */
export function updateRows(rows: Rows, assignments: readonly Fragment[]): Command {
  return commandOf(['UPDATE ', ...tableOf(rows), ' SET ', join(assignments, ', '), ...someRows(rows)]);
}

/** Changes rows by rewriting their parts. */
export function rewriteRows(rows: Rows, assignments: readonly Fragment[], settings: CommandSettings): Command {
  const table = tableOf(rows);
  return commandOf(['ALTER TABLE ', ...table, ' UPDATE ', join(assignments, ', '), ...someRows(rows), ...settingsClause(settings)]);
}

export interface Deletion {
  /** `hiding` masks the rows beside their parts; `rewriting` writes the parts without them. */
  readonly by: 'hiding' | 'rewriting';
  /** Identifier of the only partition with such rows; absent: any partition. */
  readonly partition?: string;
  readonly settings: CommandSettings;
}

export function deleteRows(rows: Rows, { by, partition, settings }: Deletion): Command {
  const table = tableOf(rows);
  const within: Parts = partition === undefined ? [] : [' IN PARTITION ID ', literal(partition)];
  const begin: Parts = by === 'hiding' ? ['DELETE FROM ', ...table] : ['ALTER TABLE ', ...table, ' DELETE'];
  return commandOf([...begin, ...within, ...someRows(rows), ...settingsClause(settings)]);
}

export interface SelectedInsertion {
  readonly table: StoreTable;
  /** In the order of the query's. */
  readonly columns: readonly string[];
  readonly settings?: CommandSettings;
}

export function insertSelected({ table, columns, settings = {} }: SelectedInsertion, query: Query): Command {
  return commandOf([`INSERT INTO ${table} (${columns.join(', ')})`, ...settingsClause(settings), ' ', fragmentOf(query.pieces)]);
}

/** Rows follow the statement in a format, or the engine reads them from a file of its machine. */
export interface RowSource {
  readonly format: 'RowBinary' | 'JSONCompactEachRow';
  readonly file?: string;
}

/** Writes the rows of a query into a file of the engine's machine, in the format RowBinary. */
export function rowsIntoFile(query: Query, file: string): Command {
  return commandOf(['INSERT INTO FUNCTION file(', literal(file), `, 'RowBinary') `, fragmentOf(query.pieces)]);
}

export interface Insertion {
  readonly table: OrganizationTable;
  readonly columns: readonly string[];
  readonly settings: CommandSettings;
}

/** @throws TypeError for columns without the organisation: every row names its own. */
export function insertRows({ table, columns, settings }: Insertion, { format, file }: RowSource): Command {
  if (!columns.includes('org_id')) throw new TypeError(`Rows of ${table} name their organisation.`);
  const from: Parts = file === undefined ? [] : [' FROM INFILE ', literal(file), ` COMPRESSION 'none'`];
  return commandOf([`INSERT INTO ${table} (${columns.join(', ')})`, ...from, ...settingsClause(settings), ` FORMAT ${format}`]);
}

/** Changes a whole table. @throws TypeError for rows of one organisation: parts and settings belong to all. */
export function alterTable(rows: Rows, action: Fragment, settings: CommandSettings = {}): Command {
  return commandOf(['ALTER TABLE ', ...tableAsRows(rows), ' ', action, ...settingsClause(settings)]);
}

/** Writes the parts of a partition without the rows that are hidden in them. @throws TypeError for rows of one organisation. */
export function applyDeletedMask(rows: Rows, partition: string, settings: CommandSettings): Command {
  const where: Parts = [' APPLY DELETED MASK IN PARTITION ID ', literal(partition)];
  return commandOf(['ALTER TABLE ', ...tableAsRows(rows), ...where, ...settingsClause(settings)]);
}

/** Makes an index for the rows of a partition that have none. @throws TypeError for rows of one organisation. */
export function materializeIndex(rows: Rows, index: string, partition: string, settings: CommandSettings): Command {
  const where: Parts = [` MATERIALIZE INDEX ${index} IN PARTITION ID `, literal(partition)];
  return commandOf(['ALTER TABLE ', ...tableAsRows(rows), ...where, ...settingsClause(settings)]);
}

/** @throws TypeError for rows of one organisation. */
export function dropIndexes(rows: Rows, indexes: readonly string[], settings: CommandSettings): Command {
  const drops = indexes.map((index) => `DROP INDEX IF EXISTS ${index}`).join(', ');
  return commandOf(['ALTER TABLE ', ...tableAsRows(rows), ` ${drops}`, ...settingsClause(settings)]);
}

/** Detaches a table with all its files from the engine. @throws TypeError for rows of one organisation. */
export function detachTable(rows: Rows, when: 'now' | 'when unused'): Command {
  return commandOf(['DETACH TABLE ', ...tableAsRows(rows), when === 'now' ? '' : ' SYNC']);
}

/** Attaches a table again; the engine then reads its folder. @throws TypeError for rows of one organisation. */
export function attachTable(rows: Rows): Command {
  return commandOf(['ATTACH TABLE ', ...tableAsRows(rows)]);
}

/** Verifies all files of a part. @throws TypeError for rows of one organisation. */
export function checkTable(rows: Rows, part: string): Command {
  return commandOf(['CHECK TABLE ', ...tableAsRows(rows), ' PART ', literal(part), ' SETTINGS check_query_single_value_result = 0']);
}

function tableAsRows(rows: Rows): Parts {
  if (!rows.across || rows.condition.pieces.length > 0) throw new TypeError('This concerns a whole table.');
  return tableOf(rows);
}

/** TRICKY: without a condition the engine would change all rows; such a call is a bug of ours. */
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
