import type { BilledRequest, StatedCost } from '../../model/pricing/billed-request.ts';
import type { ChangeEntry } from '../../model/change.ts';
import { type OrganizationId, type RequestId, uuidOfHex, uuidToNumber } from '../../model/ids.ts';
import { moneyText, parseMoney, usdOf } from '../../model/pricing/money.ts';
import { type CostSource, costSources } from '../../model/record/request-record.ts';
import { exactTotal, partsOf, unreportedUsage, type Usage, usageText } from '../../model/record/usage.ts';
import { boundStatement, withRetries } from './change.ts';
import type { RowsStatement } from './change-statements.ts';
import type { Connections } from '../engine/connections.ts';
import { storeFailure } from '../engine/failure.ts';
import { makeInsertRows } from '../insert/insert.ts';
import type { PendingPatches } from './pending-patches.ts';
import { runWrite } from '../engine/disk-space.ts';
import { changeRows } from '../insert/change-rows.ts';

/** Where the record of a call is looked for. */
export interface AnsweredCall {
  readonly organizationId: OrganizationId;
  readonly provider: string;
  readonly responseId: string;
  /** Between these times it came, Unix milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** The record of a call, as far as its usage decides what is to be done. */
export interface CallRecord {
  readonly requestId: RequestId;
  /** Its usage is not known, or ours. */
  readonly awaitsUsage: boolean;
  readonly billed: BilledRequest;
}

/** The record of a call that gets its usage. */
export interface CompletedCall {
  readonly organizationId: OrganizationId;
  readonly before: CallRecord;
  readonly usage: Usage;
  readonly responseModel: string;
  readonly serviceTier: string;
  /** Undefined: the cost that it has stands. */
  readonly cost: StatedCost | undefined;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
  readonly keyId: string;
}

/** Gives records of calls the usage that is known later. */
export interface UsageRows {
  /** The record of a call by its response: one that awaits its usage before others, the latest one. @throws GatelogError when the store fails. */
  readonly find: (call: AnsweredCall) => Promise<CallRecord | undefined>;
  /**
   * Writes usage, cost and their history; durable and visible to every later read when it returns. Doing it again changes nothing and adds nothing to the
   * history, also where it was interrupted. @throws GatelogError when the store fails.
   */
  readonly complete: (call: CompletedCall) => Promise<void>;
}

/** A number of an entry is the time of its change in these: see `RequestChanger.stamp`. */
const numbersInMs = 1000;
/** In a patch, beside the usage as received. */
const bytesOfPatch = 1024;

const awaits = '((prompt_tokens IS NULL AND completion_tokens IS NULL) OR usage_estimated)';

/** Makes the functions; they have their turn between the changes of properties. */
export function makeUsageRows(connections: Connections, patches: PendingPatches): UsageRows {
  return {
    find: async (call) => {
      try {
        const [row] = await read<CallRow>(connections, findStatement(call));
        return row === undefined ? undefined : callRecord(row);
      } catch (error) {
        throw storeFailure(error);
      }
    },
    complete: async (call) => {
      try {
        await insertHistory(connections, call);
        const command = boundStatement(updateStatement(call), connections.embedded);
        const bytes = bytesOfPatch + usageText(call.usage).length;
        await withRetries(() =>
          runWrite(connections, 'update', async (client) => {
            await patches.makeRoom(connections, client, bytes);
            await client.command(command);
          }),
        );
      } catch (error) {
        throw storeFailure(error);
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

function findStatement({ organizationId, provider, responseId, from, to }: AnsweredCall): RowsStatement {
  const text = `SELECT toString(request_id) AS id, toUnixTimestamp64Milli(created_at) AS created_ms, provider, request_model, response_model, model_override,
      service_tier, ifNull(toString(prompt_tokens), '') AS prompt, ifNull(toString(completion_tokens), '') AS completion, usage_estimated,
      ifNull(toString(cost), '') AS cost_text, cost_source, price_reference, applied_price, ${awaits} AS awaits
    FROM requests
    WHERE org_id = {tenant:UInt128}
      AND created_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND created_at <= fromUnixTimestamp64Milli({to:Int64}, 'UTC')
      AND response_id = {response:String} AND provider = {provider:String} AND method = 'POST' AND NOT cached
    ORDER BY awaits DESC, created_at DESC, request_id DESC LIMIT 1`;
  return { text, params: { tenant: uuidToNumber(organizationId).toString(), from, to, response: responseId, provider } };
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
      costSource: costSources.find((source) => source === row.cost_source) ?? ('none' satisfies CostSource),
      priceReference: row.price_reference,
      appliedPrice: row.applied_price,
      cached: false,
    },
  };
}

function countOf(text: string): number | null {
  return text === '' ? null : Number(text);
}

/** Invariant: the history comes first, as that of every change. What was written before an interruption is not written again. */
async function insertHistory(connections: Connections, call: CompletedCall): Promise<void> {
  const { organizationId, before } = call;
  const params = { tenant: uuidToNumber(organizationId).toString(), request: uuidToNumber(before.requestId) };
  const text = `SELECT name FROM changes WHERE org_id = {tenant:UInt128} AND request_id = {request:UInt128} AND kind = 'usage' LIMIT 1`;
  const written = await read(connections, { text, params });
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
  const [old, now] = [billed.cost, cost.cost].map((money) => (money === null ? null : usdOf(money)));
  return [...entries, { ...accepted, kind: 'cost', name: 'cost', old: old ?? null, new: now ?? null }];
}

const countColumns = [
  ['prompt_tokens', 'promptTokens'],
  ['completion_tokens', 'completionTokens'],
  ['prompt_cache_read_tokens', 'promptCacheReadTokens'],
  ['prompt_cache_write_tokens', 'promptCacheWriteTokens'],
  ['prompt_audio_tokens', 'promptAudioTokens'],
  ['completion_audio_tokens', 'completionAudioTokens'],
  ['reasoning_tokens', 'reasoningTokens'],
] as const;

const costAssignments = [
  'cost = toDecimal128OrNull({cost:String}, 12)',
  'cost_source = {cost_source:String}',
  'price_reference = {price_reference:String}',
  'applied_price = {applied_price:String}',
];

/** Only a row that still awaits its usage gets it. */
function updateStatement({ organizationId, before, usage, responseModel, serviceTier, cost }: CompletedCall): RowsStatement {
  const { billed, requestId } = before;
  const parts = [...partsOf(usage)];
  const params = {
    tenant: uuidToNumber(organizationId).toString(),
    request: uuidToNumber(requestId),
    created: billed.createdAt,
    response_model: responseModel,
    model: [billed.modelOverride, responseModel, billed.requestModel, 'unknown'].find((name) => name !== ''),
    service_tier: serviceTier,
    usage_raw: usageText(usage),
    total_tokens: String(exactTotal(usage) ?? ''),
    part_names: parts.map(([name]) => name),
    part_counts: parts.map(([, count]) => count),
    ...Object.fromEntries(countColumns.map(([column, count]) => [column, String(usage[count] ?? '')])),
    ...(cost === undefined ? {} : costParams(cost)),
  };
  const assignments = [
    ...['total_tokens', ...countColumns.map(([column]) => column)].map((column) => `${column} = toUInt64OrNull({${column}:String})`),
    'usage_parts = mapFromArrays({part_names:Array(String)}, {part_counts:Array(UInt64)})',
    'usage_estimated = false',
    ...['usage_raw', 'response_model', 'model', 'service_tier'].map((column) => `${column} = {${column}:String}`),
    ...(cost === undefined ? [] : costAssignments),
    `updated_at = now64(3, 'UTC')`,
  ];
  const text = `UPDATE requests SET ${assignments.join(', ')}
    WHERE org_id = {tenant:UInt128} AND created_at = fromUnixTimestamp64Milli({created:Int64}, 'UTC') AND request_id = {request:UInt128} AND ${awaits}`;
  return { text, params };
}

function costParams({ cost, costSource, priceReference, appliedPrice }: StatedCost) {
  return {
    cost: cost === null ? '' : moneyText(cost),
    cost_source: costSource,
    price_reference: priceReference,
    applied_price: appliedPrice,
  };
}

async function read<Row>(connections: Connections, statement: RowsStatement): Promise<readonly Row[]> {
  const query = boundStatement(statement, connections.embedded);
  return connections.run('update', async (client) => (await client.query({ ...query, format: 'JSONEachRow' })).json<Row>());
}
