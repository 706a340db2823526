import type { BilledRequest } from '../../model/record/billed-request.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { type Money, parseMoney } from '../../model/pricing/money.ts';
import { costSourceOf } from '../../model/record/request-record.ts';
import { countColumns, partCounts, unreportedUsage, type Usage } from '../../model/record/usage.ts';
import { identifier } from '../../sql/identifier.ts';
import { type Fragment, join, sql } from '../../sql/sql.ts';
import { onlyRequest } from './lookup.ts';
import type { NumberCell } from '../requests/columns.ts';
import { type PageStatements, pageOf } from '../requests/select.ts';

type Count = Exclude<keyof Usage, 'estimated' | 'geo' | 'raw'>;

const textColumns = [
  'provider',
  'request_model',
  'response_model',
  'model_override',
  'model',
  'service_tier',
  'cost_source',
  'price_reference',
  'applied_price',
] as const;

/** The columns of `requests` that decide a cost, as JSONEachRow returns them. */
export type BilledRow = Readonly<Record<(typeof textColumns)[number], string>> &
  Readonly<Record<keyof typeof countColumns, NumberCell | null>> & {
    readonly id: string;
    readonly created_ms: NumberCell;
    readonly cost_text: string | null;
    readonly cached: boolean;
    readonly usage_estimated: boolean;
    readonly usage_geo: string;
    readonly usage_parts: Readonly<Record<string, NumberCell>>;
  };

/** Columns of {@link BilledRow} for a query over `requests`. */
export const billedRowColumns: Fragment = join(
  [
    sql`id_text AS id`,
    sql`toUnixTimestamp64Milli(created_at) AS created_ms`,
    sql`toString(cost) AS cost_text`,
    sql`JSONExtractString(usage_raw, 'inference_geo') AS usage_geo`,
    ...[...textColumns, ...Object.keys(countColumns), 'cached', 'usage_estimated', 'usage_parts'].map(identifier),
  ],
  ', ',
);

/** Statements for the {@link BilledRow} of one request, to run in order until one returns it. */
export function billedRequestStatements(tenant: OrganizationId, id: RequestId): PageStatements {
  return pageOf(onlyRequest(tenant, id), billedRowColumns);
}

export function billedRequest(row: BilledRow): BilledRequest {
  return {
    createdAt: Number(row.created_ms),
    provider: row.provider,
    requestModel: row.request_model,
    responseModel: row.response_model,
    modelOverride: row.model_override,
    serviceTier: row.service_tier,
    usage: usageOf(row),
    cost: costOf(row),
    costSource: costSourceOf(row.cost_source),
    priceReference: row.price_reference,
    appliedPrice: row.applied_price,
    cached: row.cached,
  };
}

function costOf({ cost_text: text }: BilledRow): Money | null {
  return text === null ? null : (parseMoney(text) ?? null);
}

function usageOf(row: BilledRow): Usage {
  const counts: Partial<Record<Count, number>> = {};
  for (const [column, count] of Object.entries(countColumns) as [keyof typeof countColumns, Count][]) {
    const cell = row[column];
    if (cell !== null) counts[count] = Number(cell);
  }
  for (const name of partCounts) {
    const cell = row.usage_parts[name];
    if (cell !== undefined) counts[name] = Number(cell);
  }
  return { ...unreportedUsage, ...counts, estimated: row.usage_estimated, geo: row.usage_geo };
}
