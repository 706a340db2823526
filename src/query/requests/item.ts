import type { RequestItem } from '../../contract/requests/item.ts';
import { parseMoney, usdOf } from '../../model/pricing/money.ts';
import { type ItemUse, type FieldOf, type ItemColumn, itemColumns } from '../../model/record/columns.ts';
import { failureKinds } from '../../model/record/failure.ts';
import { costSourceOf } from '../../model/record/request-record.ts';
import { RawJson } from '../../model/json/raw.ts';
import { parseJson } from '../../model/text.ts';
import { shownProperties } from '../../model/vocabulary/property-alias.ts';
import { type BodiesRow, cellOf, isoTime, type NumberCell, type RequestRow } from './columns.ts';

/** Rows of a page as items, in the order of the page. @param bodies the rows of `bodies` of the same records, in any order. */
export function requestItems(
  rows: readonly RequestRow[],
  bodies: readonly BodiesRow[],
  bodyAddressOf: (row: RequestRow) => string,
): RequestItem[] {
  const bodiesById = new Map(bodies.map((row) => [row.id, row]));
  return rows.map((row) => Object.assign(requestItem(row, bodiesById.get(row.id)), { signed_body_url: bodyAddressOf(row) }));
}

/** Both bodies of a request; null without one. */
export function bodiesOf(row: BodiesRow | undefined): { readonly request: unknown; readonly response: unknown } {
  return {
    request: row === undefined ? null : bodyOf(row.request_kind, row.request_text, row.request_content_type),
    response: row === undefined ? null : bodyOf(row.response_kind, row.response_text, row.response_content_type),
  };
}

/**
 * A request in the API's shape: every key is present, null when unknown. @param bodies the record's row of `bodies`; undefined without one
 * or when bodies were not requested.
 */
export function requestItem(row: RequestRow, bodies: BodiesRow | undefined): RequestItem {
  const { request, response } = bodiesOf(bodies);
  // TRICKY: not by spreads, which take ten times as long for an object with this many keys.
  const item = Object.assign(columnFields(row), identityFields(row), propertyFields(row), olderClientFields);
  return Object.assign(item, costFields(row), sameFields(row), {
    request_body: request,
    response_body: response,
    inputs: row.inputs ?? null,
    usage_raw: row.usage_raw === '' ? null : jsonOrText(row.usage_raw),
    attempts: attemptsOf(row.attempts),
    failure: failureOf(row),
    feedback_id: row.feedback_number === null ? null : String(row.feedback_number),
  });
}

type ColumnFields = Pick<RequestItem, FieldOf<ItemColumn>>;

const fields = itemColumns.map((column) => {
  const { name, type, field } = column;
  return { cell: cellOf(name, type) as keyof RequestRow, name: field.name, show: showCell(column) };
});

function columnFields(row: RequestRow): ColumnFields {
  const item: Record<string, unknown> = {};
  for (const { cell, name, show } of fields) item[name] = show(row[cell]);
  return item as ColumnFields;
}

function showCell({ type, field }: ItemUse): (cell: unknown) => unknown {
  switch (type) {
    case 'text':
      return field.empty === '' ? (cell) => cell : (cell) => (cell === '' ? null : cell);
    case 'time':
      return (cell) => (cell === null ? null : isoTime(cell as NumberCell));
    case 'uint16':
    case 'uint64':
    case 'float64':
      return (cell) => (cell === null ? null : Number(cell));
    case 'flag':
    case 'numbers':
      return (cell) => cell;
  }
}

/** Fields that upstream's clients expect and that are always empty here. */
const olderClientFields = {
  helicone_user: null,
  signed_body_url: null,
  llmSchema: null,
  ai_gateway_body_mapping: '',
  asset_urls: null,
} as const;

function identityFields(row: RequestRow) {
  return {
    request_id: row.id,
    organization_id: row.organization,
    request_created_at: isoTime(row.created_ms),
    updated_at: isoTime(row.updated_ms),
    storage_location: row.storage_location === '' ? 'clickhouse' : row.storage_location,
  };
}

function propertyFields(row: RequestRow) {
  const properties = shownProperties(row.properties, row.aliased_names);
  return { properties, request_properties: properties };
}

function costFields(row: RequestRow) {
  const money = row.cost_text === null ? undefined : parseMoney(row.cost_text);
  const cost = money === undefined ? null : usdOf(money);
  return { cost, costUSD: cost, cost_source: costSourceOf(row.cost_source) };
}

/** Fields that repeat another value. */
function sameFields(row: RequestRow) {
  const assets = [...row.assets];
  return { delay_ms: row.latency === null ? null : Number(row.latency), assets, asset_ids: assets };
}

function bodyOf(kind: string, text: string, contentType: string): unknown {
  switch (kind) {
    case 'json':
      return jsonOrText(text);
    case 'text':
      return text;
    case 'binary':
      return { base64: text, content_type: contentType };
    default:
      return null;
  }
}

/**
 * JSON as it is stored, so that no number loses digits. TRICKY: a truncated body is marked JSON but is none, and older versions recorded
 * bodies nested so deeply that writing them would break every page; both are returned as text.
 */
function jsonOrText(text: string): RawJson | string {
  return parseJson(text) === undefined ? text : new RawJson(text);
}

function failureOf({ failure_kind: name, failure_type: type, failure_message: message }: RequestRow): RequestItem['failure'] {
  const kind = failureKinds.find((known) => known === name);
  return kind === undefined ? null : { kind, type: type === '' ? null : type, message: message === '' ? null : message };
}

/** The attempts, when there was more than one. */
function attemptsOf(text: string): RequestItem['attempts'] {
  const attempts = parseJson(text);
  return Array.isArray(attempts) && attempts.length > 1 ? (attempts as RequestItem['attempts']) : null;
}
