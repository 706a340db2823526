import type { BilledRequest, StatedCost } from '../../model/record/billed-request.ts';
import type { ChangeEntry } from '../../model/change.ts';
import { type OrganizationId, type RequestId, uuidOfHex, uuidToNumber } from '../../model/ids.ts';
import { moneyText, parseMoney, usdOrNull } from '../../model/pricing/money.ts';
import { costSourceOf } from '../../model/record/request-record.ts';
import { countColumns, exactTotal, partsOf, unreportedUsage, type Usage, usageText } from '../../model/record/usage.ts';
import { updateRows } from '../../sql/commands.ts';
import { identifier } from '../../sql/identifier.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, param, sql } from '../../sql/sql.ts';
import { type CompiledSql, compileFor } from '../../sql/statement.ts';
import { bodies, tenantRows, requests } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import { updateSettings, withRetries, writePatch } from './change.ts';
import type { Connections } from '../engine/connections.ts';
import { changeFailure } from '../engine/failure.ts';
import { makeInsertRows } from '../insert/insert.ts';
import { displayValue } from './display.ts';
import type { PendingPatches } from './pending-patches.ts';
import { readRows } from '../engine/statements.ts';
import { changeRows } from '../insert/change-rows.ts';

/** Identifies the record of a call. */
export interface AnsweredCall {
  readonly organizationId: OrganizationId;
  readonly provider: string;
  readonly responseId: string;
  /** Where the call must have gone, as by `originOf`. */
  readonly origin: string;
  /** With which credential the call must have been made; not empty. */
  readonly credentialHash: string;
  /** Range of its arrival, Unix milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** The record of a call, as far as completing its usage needs it. */
export interface CallRecord {
  readonly requestId: RequestId;
  /** Its usage is unknown or estimated. */
  readonly awaitsUsage: boolean;
  readonly billed: BilledRequest;
}

export interface CompletedCall {
  readonly organizationId: OrganizationId;
  readonly before: CallRecord;
  readonly usage: Usage;
  readonly responseModel: string;
  readonly serviceTier: string;
  /** Undefined: the cost stays. */
  readonly cost: StatedCost | undefined;
  /** Beginning of the answer; empty: not known. A call that has one keeps it, and one whose response is not kept gets none. */
  readonly outputPreview: string;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
  readonly keyId: string;
}

/** Adds usage that becomes known after the record was stored. */
export interface UsageRows {
  /**
   * Finds the record of a call by its response: the latest, preferring one that awaits its usage.
   * @throws GatelogError when the store fails.
   */
  readonly find: (call: AnsweredCall) => Promise<CallRecord | undefined>;
  /**
   * Writes usage, cost and their history; durable and visible to every later read on return. Repeating it changes nothing and adds nothing
   * to the history, even after an interruption.
   * @throws GatelogError when the store fails.
   */
  readonly complete: (call: CompletedCall) => Promise<void>;
}

/** The number of an entry is its time in microseconds: see `RequestChanger.stamp`. */
const numbersInMs = 1000;
/** Bytes of a patch, beside the usage as received and the preview. */
const bytesOfPatch = 1024;

const awaits = sql`((prompt_tokens IS NULL AND completion_tokens IS NULL) OR usage_estimated)`;

/** Their work takes turns with the changes of properties. */
export function makeUsageRows(connections: Connections, patches: PendingPatches): UsageRows {
  return {
    find: async (call) => {
      const [row] = await readRows<CallRow>(connections, 'update', findStatement(call), updateSettings);
      return row === undefined ? undefined : callRecord(row);
    },
    complete: async (call) => {
      try {
        await insertHistory(connections, call);
        const outputPreview = await keptPreview(connections, call);
        const bytes = bytesOfPatch + usageText(call.usage).length + Buffer.byteLength(outputPreview);
        await writePatch({ connections, patches }, updateStatement({ ...call, outputPreview }), bytes);
      } catch (error) {
        throw changeFailure(error);
      }
    },
  };
}

interface CallRow {
  readonly id: string;
  readonly created_ms: string | number;
  readonly provider: string;
  readonly request_model: string;
  readonly response_model: string;
  readonly model_override: string;
  readonly service_tier: string;
  readonly prompt: string;
  readonly completion: string;
  readonly usage_estimated: boolean;
  readonly cost_text: string;
  readonly cost_source: string;
  readonly price_reference: string;
  readonly applied_price: string;
  readonly awaits: number;
}

function findStatement({ organizationId, provider, responseId, origin, credentialHash, from, to }: AnsweredCall): CompiledSql {
  const columns = sql`toString(request_id) AS id, toUnixTimestamp64Milli(created_at) AS created_ms, provider, request_model, response_model, model_override,
      service_tier, ifNull(toString(prompt_tokens), '') AS prompt, ifNull(toString(completion_tokens), '') AS completion, usage_estimated,
      ifNull(toString(cost), '') AS cost_text, cost_source, price_reference, applied_price, ${awaits} AS awaits`;
  const calls = requests([
    sql`created_at >= ${dateTime64(from, 'from')}`,
    sql`created_at <= ${dateTime64(to, 'to')}`,
    sql`response_id = ${param(responseId, 'String', 'response')}`,
    sql`provider = ${param(provider, 'String', 'provider')} AND method = 'POST' AND NOT cached`,
    // Another address may answer anything, and another customer's answer is not this one's: neither says what this call used.
    sql`lower(extract(target_url, '^[A-Za-z]+://[^/?#]*')) = ${param(origin, 'String', 'origin')}`,
    sql`credential_hash = ${param(credentialHash, 'String', 'credential')} AND credential_hash != ''`,
  ]);
  const orderBy = sql`awaits DESC, created_at DESC, request_id DESC`;
  return compileFor(organizationId, select({ columns, from: calls, orderBy, limit: 1 }));
}

function callRecord(row: CallRow): CallRecord {
  return {
    requestId: uuidOfHex(BigInt(row.id).toString(16).padStart(32, '0')),
    awaitsUsage: Boolean(row.awaits),
    billed: {
      createdAt: Number(row.created_ms),
      provider: row.provider,
      requestModel: row.request_model,
      responseModel: row.response_model,
      modelOverride: row.model_override,
      serviceTier: row.service_tier,
      usage: {
        ...unreportedUsage,
        promptTokens: countOf(row.prompt),
        completionTokens: countOf(row.completion),
        estimated: row.usage_estimated,
      },
      cost: row.cost_text === '' ? null : (parseMoney(row.cost_text) ?? null),
      costSource: costSourceOf(row.cost_source),
      priceReference: row.price_reference,
      appliedPrice: row.applied_price,
      cached: false,
    },
  };
}

function countOf(text: string): number | null {
  return text === '' ? null : Number(text);
}

/** Invariant: the history is written before the row, as for every change. Entries from before an interruption are not written again. */
async function insertHistory(connections: Connections, call: CompletedCall): Promise<void> {
  const { organizationId, before } = call;
  const entries = tenantRows('changes', [isRequest(before.requestId), sql`kind = 'usage'`]);
  const written = await readRows(
    connections,
    'update',
    compileFor(organizationId, select({ columns: sql`name`, from: entries, limit: 1 })),
    updateSettings,
  );
  if (written.length > 0) return;
  const insert = makeInsertRows(connections, 'history');
  await withRetries(() => insert('changes', [changeRows(entriesOf(call))], `usage-${organizationId}-${before.requestId}`));
}

function entriesOf({ organizationId, before, usage, cost, acceptedAt, keyId }: CompletedCall): ChangeEntry[] {
  const { requestId, billed } = before;
  const accepted = { organizationId, requestId, keyId, acceptedAt, number: acceptedAt * numbersInMs };
  const counts = [
    ['prompt_tokens', billed.usage.promptTokens, usage.promptTokens],
    ['completion_tokens', billed.usage.completionTokens, usage.completionTokens],
  ] as const;
  const entries = counts.map(([name, old, now]): ChangeEntry => ({ ...accepted, kind: 'usage', name, old, new: now }));
  if (cost === undefined || cost.cost === billed.cost) return entries;
  return [...entries, { ...accepted, kind: 'cost', name: 'cost', old: usdOrNull(billed.cost), new: usdOrNull(cost.cost) }];
}

/** Only a row that still awaits its usage gets it. */
function updateStatement({ organizationId, before, usage, responseModel, serviceTier, cost, outputPreview }: CompletedCall): CompiledSql {
  const { billed, requestId } = before;
  const parts = [...partsOf(usage)];
  const counts = [
    ['total_tokens', exactTotal(usage)],
    ...Object.entries(countColumns).map(([column, count]) => [column, usage[count]] as const),
  ] as const;
  const texts: readonly (readonly [column: string, text: string])[] = [
    ['usage_raw', usageText(usage)],
    ['response_model', responseModel],
    ['model', [billed.modelOverride, responseModel, billed.requestModel].find((name) => name !== '') ?? 'unknown'],
    ['service_tier', serviceTier],
  ];
  const partNames = param(
    parts.map(([name]) => name),
    'Array(String)',
    'part_names',
  );
  const partCounts = param(
    parts.map(([, count]) => count),
    'Array(UInt64)',
    'part_counts',
  );
  const values = new Map<string, Fragment>([
    ...counts.map(([column, count]) => [column, sql`toUInt64OrNull(${param(String(count ?? ''), 'String', column)})`] as const),
    ['usage_parts', sql`mapFromArrays(${partNames}, ${partCounts})`],
    ['usage_estimated', sql`false`],
    ...[...texts, ...(cost === undefined ? [] : sourceTexts(cost))].map(
      ([column, text]) => [column, sql`${param(text, 'String', column)}`] as const,
    ),
    ...(cost === undefined ? [] : [['cost', costValue(cost)] as const]),
    ...(outputPreview === '' ? [] : [['output_preview', previewValue(outputPreview)] as const]),
  ]);
  const assignments = [
    ...Array.from(values, ([column, value]) => sql`${identifier(column)} = ${value}`),
    sql`display = ${displayValue(values)}`,
    sql`updated_at = now64(3, 'UTC')`,
  ];
  return compileFor(organizationId, updateRows(requests([isAt(billed), isRequest(requestId), awaits]), assignments));
}

function sourceTexts({ costSource, priceReference, appliedPrice }: StatedCost): readonly (readonly [column: string, text: string])[] {
  return [
    ['cost_source', costSource],
    ['price_reference', priceReference],
    ['applied_price', appliedPrice],
  ];
}

function costValue({ cost }: StatedCost): Fragment {
  return sql`toDecimal128OrNull(${param(cost === null ? '' : moneyText(cost), 'String', 'cost')}, 12)`;
}

/** The preview that the call may have: none where its own response is not kept. */
async function keptPreview(connections: Connections, { organizationId, before, outputPreview }: CompletedCall): Promise<string> {
  if (outputPreview === '') return '';
  const kept = bodies([isAt(before.billed), isRequest(before.requestId), sql`response_kind != 'absent'`]);
  const found = compileFor(organizationId, select({ columns: sql`request_id`, from: kept, limit: 1 }));
  return (await readRows(connections, 'update', found, updateSettings)).length > 0 ? outputPreview : '';
}

function previewValue(preview: string): Fragment {
  return sql`if(output_preview = '', ${param(preview, 'String', 'output_preview')}, output_preview)`;
}

function isAt({ createdAt }: BilledRequest): Fragment {
  return sql`created_at = ${dateTime64(createdAt, 'created')}`;
}

function isRequest(requestId: RequestId): Fragment {
  return sql`request_id = ${param(uuidToNumber(requestId), 'UInt128', 'request')}`;
}
