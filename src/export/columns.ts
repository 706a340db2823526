import { requestItemSchema } from '../contract/requests/item.ts';
import { nearestName } from '../model/nearest-name.ts';
import { bodyFault, type Result, success } from '../model/fault.ts';
import { itemColumns } from '../model/record/columns.ts';
import { parseJson, quoted } from '../model/text.ts';
import { otherShownName } from '../model/vocabulary/property-alias.ts';
import { type ExportFormat, formatTraits } from '../model/vocabulary/export.ts';

/** The type of a column's values. `json`: a text of JSON. */
export type ColumnKind = 'text' | 'time' | 'integer' | 'number' | 'flag' | 'json' | 'texts' | 'numbers' | 'textList';

export interface ExportColumn {
  /** As the caller writes it: `cost`, or `properties.Team`. */
  readonly name: string;
  readonly field: string;
  /** A name in the field's object. */
  readonly key: string | undefined;
  readonly kind: ColumnKind;
}

/** Fields that belong to the deployment: the address of the bodies expires, and elsewhere another organisation owns the record. */
const deploymentFields: ReadonlySet<string> = new Set(['signed_body_url', 'organization_id']);
const bodyFields = ['request_body', 'response_body'] as const;
/** Fields of an item that repeat another one, or that are always empty. A table leaves them out. */
const repeatedFields: ReadonlySet<string> = new Set([
  'request_properties',
  'delay_ms',
  'costUSD',
  'asset_ids',
  'asset_urls',
  'helicone_user',
  'llmSchema',
  'ai_gateway_body_mapping',
]);
/** Fields whose names are columns of their own, behind a dot. */
const mapFields: Readonly<Record<string, ColumnKind>> = { properties: 'text', scores: 'number', inputs: 'text' };

const maxColumns = 500;

const itemFields: readonly string[] = Object.keys(requestItemSchema.shape);

/** All fields of an exported item, in order. */
export const exportedFields: readonly string[] = itemFields.filter((field) => !deploymentFields.has(field));

const choosable: ReadonlySet<string> = new Set([...exportedFields, 'organization_id', 'cursor']);

const kindOfType = {
  text: 'text',
  time: 'time',
  uint16: 'integer',
  uint64: 'integer',
  float64: 'number',
  flag: 'flag',
  numbers: 'numbers',
} as const satisfies Record<(typeof itemColumns)[number]['type'], ColumnKind>;

const kinds: Readonly<Record<string, ColumnKind>> = {
  ...Object.fromEntries(itemColumns.map(({ type, field }) => [field.name, kindOfType[type]])),
  request_created_at: 'time',
  updated_at: 'time',
  request_body: 'json',
  response_body: 'json',
  request_properties: 'texts',
  properties: 'texts',
  inputs: 'texts',
  asset_urls: 'texts',
  delay_ms: 'integer',
  usage_raw: 'json',
  attempts: 'json',
  cost: 'number',
  costUSD: 'number',
  assets: 'textList',
  asset_ids: 'textList',
};

/** Names as people write them: separated by commas, or a list of JSON, which any name can stand in. */
export function columnNames(text: string): readonly string[] {
  const list = text.trimStart().startsWith('[') ? parseJson(text) : undefined;
  if (Array.isArray(list) && list.every((name) => typeof name === 'string')) return list;
  return text.split(',').map((name) => name.trim());
}

/** What of a record is exported. */
export interface ColumnChoice {
  readonly format: ExportFormat;
  readonly columns?: readonly string[] | undefined;
  readonly includeBodies?: boolean | undefined;
}

/** The columns of an export in their order. Without a choice: all fields, and in a table only once, with bodies when they are asked for. */
export function chosenColumns({ format, columns, includeBodies = false }: ColumnChoice): Result<readonly ExportColumn[]> {
  if (columns === undefined) return success(allColumns(format, includeBodies));
  if (columns.length === 0 || columns.length > maxColumns) {
    return bodyFault(['columns'], `\`columns\` names 1 to ${maxColumns} columns; without it all are exported.`);
  }
  const chosen: ExportColumn[] = [];
  for (const [index, name] of columns.entries()) {
    const column = columnNamed(name);
    if (column === undefined) return bodyFault(['columns', index], unknownColumn(name));
    if (chosen.some((earlier) => earlier.name === name)) return bodyFault(['columns', index], `${quoted(name)} is in \`columns\` twice.`);
    chosen.push(column);
  }
  const bodies = includeBodies ? bodyFields.filter((name) => !columns.includes(name)) : [];
  return success([...chosen, ...bodies.map(fieldColumn)]);
}

/** Whether bodies are read: as the caller says, or when it names a column of one. */
export function showsBodies({ columns = [], includeBodies }: Omit<ColumnChoice, 'format'>): boolean {
  return includeBodies ?? columns.some((name) => (bodyFields as readonly string[]).includes(name));
}

function allColumns(format: ExportFormat, includeBodies: boolean): readonly ExportColumn[] {
  if (formatTraits[format].columns === 'every') return exportedFields.map(fieldColumn);
  const isShown = (field: string): boolean =>
    !repeatedFields.has(field) && (includeBodies || !(bodyFields as readonly string[]).includes(field));
  return exportedFields.filter(isShown).map(fieldColumn);
}

function columnNamed(name: string): ExportColumn | undefined {
  if (choosable.has(name)) return fieldColumn(name);
  const dot = name.indexOf('.');
  const [field, key] = [name.slice(0, dot), name.slice(dot + 1)];
  if (dot < 0 || key === '' || !Object.hasOwn(mapFields, field)) return undefined;
  return { name, field, key, kind: mapFields[field] ?? 'text' };
}

function fieldColumn(field: string): ExportColumn {
  return { name: field, field, key: undefined, kind: kinds[field] ?? 'text' };
}

function unknownColumn(name: string): string {
  const nearest = nearestName(name, [...choosable]);
  const meant = nearest === undefined ? '' : ` Did you mean \`${nearest}\`?`;
  return `${quoted(name)} is no column.${meant} Columns are the fields of a request item, \`properties.<name>\`, \`scores.<name>\`, \`inputs.<name>\` and \`cursor\`.`;
}

/** The value of a column in a record; null when it has none. */
export function valueIn(record: Readonly<Record<string, unknown>>, { field, key }: ExportColumn): unknown {
  const value = record[field] ?? null;
  if (key === undefined || value === null || typeof value !== 'object') return key === undefined ? value : null;
  const values = value as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(values, key)) return values[key];
  const other = field === 'properties' ? otherShownName(key) : undefined;
  return other !== undefined && Object.hasOwn(values, other) ? values[other] : null;
}
