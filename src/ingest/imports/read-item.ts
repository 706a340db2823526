import { feedbackScore } from '../../model/vocabulary/scores.ts';
import type { RequestId } from '../../model/ids.ts';
import { jsonExcess, maxJsonCost, maxJsonDepth } from '../../model/json/bounds.ts';
import { isMarkedNumber, MarkedNumbers, maxMarkedNumbers, mayLoseDigits, writeExactly } from '../../model/json/exact-numbers.ts';
import type { Money } from '../../model/pricing/money.ts';
import type { Failure } from '../../model/record/failure.ts';
import { type Attempt, type CostSource, costSources, type RecordedBody } from '../../model/record/request-record.ts';
import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { previewLimits, textLimits } from '../../model/vocabulary/limits.ts';
import { providerInRecords } from '../../model/providers/providers.ts';
import { recordJson } from '../interpret/body.ts';
import { statedFailure } from './failure.ts';
import { ItemFault, ItemFields } from './fields.ts';
import { tagsOfItem, type ItemTags } from './tags.ts';

/** The feedback of an item. `number` is null when the item does not name one that the store can hold. */
export interface ItemFeedback {
  readonly number: number | null;
  readonly rating: boolean;
  readonly createdAt: number;
}

/** The counts of an item. `undefined`: the item does not have the field, so that the response may tell. */
export type ItemCounts = Readonly<Record<(typeof countFields)[number], number | null | undefined>>;

/** An item without its bodies, whose fields are checked. An empty text is an absent one, null is "not known". */
export interface CheckedItem extends ItemTags {
  readonly requestId: RequestId;
  /** Times are Unix milliseconds. */
  readonly createdAt: number;
  readonly responseCreatedAt: number | null;
  readonly updatedAt: number | null;
  readonly texts: Readonly<Record<(typeof identifierFields)[number], string>>;
  readonly inputPreview: string;
  readonly outputPreview: string;
  readonly path: string;
  readonly targetUrl: string;
  readonly referrer: string;
  readonly provider: string;
  readonly status: number;
  readonly latencyMs: number | null;
  readonly timeToFirstByteMs: number | null;
  readonly timeToFirstTokenMs: number | null;
  readonly streamed: boolean;
  readonly gatewayOverheadMs: number | null;
  readonly attempts: readonly Attempt[];
  readonly counts: ItemCounts;
  readonly usageEstimated: boolean;
  readonly usageRaw: unknown;
  readonly cost: Money | null;
  readonly costSource: CostSource;
  readonly inputs: ReadonlyMap<string, string>;
  readonly cacheEnabled: boolean;
  readonly cached: boolean;
  readonly threat: boolean | null;
  readonly isPassthroughBilling: boolean | null;
  readonly assets: readonly string[];
  readonly scores: Map<string, number>;
  readonly feedback: ItemFeedback | null;
  readonly requestBodyCut: boolean;
  readonly responseBodyCut: boolean;
  /** Undefined: the item does not say, so that its status and its response tell. */
  readonly failure: Failure | null | undefined;
  readonly statedBytes: number | null;
}

export interface ImportedItem extends CheckedItem {
  readonly requestBody: RecordedBody;
  readonly responseBody: RecordedBody;
  /** Values of the bodies that are JSON; undefined for others. */
  readonly requestValue: unknown;
  readonly responseValue: unknown;
}

const identifierFields = [
  'country_code',
  'client',
  'client_version',
  'request_model',
  'response_model',
  'model_override',
  'model',
  'request_user_id',
  'prompt_id',
  'prompt_version',
  'node_id',
  'job_id',
  'trace_id',
  'span_id',
  'response_id',
  'cache_reference_id',
] as const;

const countFields = [
  'prompt_tokens',
  'completion_tokens',
  'prompt_cache_read_tokens',
  'prompt_cache_write_tokens',
  'prompt_audio_tokens',
  'completion_audio_tokens',
  'reasoning_tokens',
] as const;

/** Two bodies, and the other fields. */
const maxItemCost = 3 * maxJsonCost;
/** A body lies one level deeper in an item. */
const maxItemDepth = maxJsonDepth + 2;

/** What tells the record of a line apart. */
export interface LineFields {
  readonly requestId: RequestId;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly userId: string;
  readonly sessionId: string;
}

/** As {@link checkLine}, of a line as it came. @throws ItemFault for a line that is no item. */
export function fieldsOfLine(line: Buffer): LineFields {
  const { requestId, createdAt, texts, sessionId } = checkLine(line.toString('utf8'));
  return { requestId, createdAt, userId: texts.request_user_id, sessionId };
}

/** Checks a line of an import. Any value can be a body. @throws ItemFault for a line that is no item. */
export function checkLine(line: string): CheckedItem {
  const item = parseItem(line);
  if (!numbersOfTwoBodies().takes(line, 'digits')) throw tooManyNumbers();
  return checkFields(item);
}

/** Reads a line of an import with its bodies. @throws ItemFault for a line that is no item. */
export function readItem(line: string): ImportedItem {
  const item = parseItem(line);
  const isHere = item['storage_location'] === 'clickhouse';
  const exact = mayLoseDigits(line) ? (JSON.parse(withExactNumbers(line)) as JsonObject) : item;
  const requestBody = bodyOf(exact['request_body'], isHere);
  const responseBody = bodyOf(exact['response_body'], isHere);
  return {
    requestBody,
    responseBody,
    requestValue: requestBody.kind === 'json' ? item['request_body'] : undefined,
    responseValue: responseBody.kind === 'json' ? item['response_body'] : undefined,
    ...checkFields(item),
  };
}

/** @throws ItemFault unless the line is one JSON object within the bounds of stored JSON. */
function parseItem(line: string): JsonObject {
  if (jsonExcess(line, maxItemCost, maxItemDepth) !== undefined) {
    throw new ItemFault('', 'The line nests too deeply, or has too many values.');
  }
  let item: unknown;
  try {
    item = JSON.parse(line);
  } catch {
    throw new ItemFault('', 'The line is not JSON: write one object a line.');
  }
  if (!isJsonObject(item)) throw new ItemFault('', 'The line is not an object: write one request a line, as exports have it.');
  return item;
}

/** @throws ItemFault for more such numbers than two recorded bodies have. */
function withExactNumbers(line: string): string {
  const marked = numbersOfTwoBodies().mark(line, 'digits');
  if (marked === undefined) throw tooManyNumbers();
  return marked;
}

function numbersOfTwoBodies(): MarkedNumbers {
  return new MarkedNumbers(2 * maxMarkedNumbers);
}

function tooManyNumbers(): ItemFault {
  return new ItemFault('', 'The line has too many numbers that JavaScript would write with other digits: write its bodies as texts.');
}

/** @throws ItemFault for the first field that cannot be stored. */
function checkFields(item: JsonObject): CheckedItem {
  const fields = new ItemFields(item);
  const requestId = fields.id('request_id');
  const createdAt = fields.time('request_created_at');
  if (createdAt === null) throw new ItemFault('request_created_at', '`request_created_at` is missing: write when the request arrived.');
  const responseCreatedAt = fields.time('response_created_at');
  const scores = scoresOf(fields);
  return {
    requestId,
    createdAt,
    responseCreatedAt,
    updatedAt: fields.time('updated_at'),
    texts: identifiersOf(fields),
    inputPreview: fields.text('input_preview', previewLimits.bytes),
    outputPreview: fields.text('output_preview', previewLimits.bytes),
    path: fields.text('request_path', textLimits.addressBytes),
    targetUrl: fields.text('target_url', textLimits.addressBytes * 2),
    referrer: fields.text('request_referrer', textLimits.headerBytes),
    provider: providerOf(fields),
    inputs: fields.inputs('inputs'),
    assets: fields.textList(fields.isAbsent('assets') ? 'asset_ids' : 'assets'),
    scores,
    feedback: feedbackOf(fields, scores, responseCreatedAt ?? createdAt),
    requestBodyCut: fields.flag('request_body_cut') ?? false,
    responseBodyCut: fields.flag('response_body_cut') ?? false,
    statedBytes: fields.count('size_bytes'),
    ...tagsOfItem(fields),
    ...outcomeOf(fields),
    ...costOf(fields),
  };
}

function identifiersOf(fields: ItemFields): CheckedItem['texts'] {
  const texts: Record<string, string> = {};
  for (const name of identifierFields) texts[name] = fields.text(name);
  return texts as CheckedItem['texts'];
}

/** A known provider gets its name in records; the name of another one stays. */
function providerOf(fields: ItemFields): string {
  const name = fields.text('provider');
  return name === '' ? 'CUSTOM' : (providerInRecords(name) ?? name);
}

function outcomeOf(fields: ItemFields) {
  const counts: Record<string, number | null | undefined> = {};
  for (const name of countFields) counts[name] = fields.value(name) === undefined ? undefined : fields.count(name);
  assertTotal(counts);
  const timeToFirstTokenMs = fields.count('time_to_first_token');
  return {
    status: fields.status('response_status'),
    failure: statedFailure(fields),
    latencyMs: fields.isAbsent('latency') ? fields.count('delay_ms') : fields.count('latency'),
    timeToFirstByteMs: fields.count('time_to_first_byte'),
    timeToFirstTokenMs,
    // Items from before the field have a first token where there was a stream.
    streamed: fields.flag('streamed') ?? timeToFirstTokenMs !== null,
    gatewayOverheadMs: fields.number('gateway_overhead_ms'),
    attempts: attemptsOf(fields),
    counts: counts as ItemCounts,
    usageEstimated: fields.flag('usage_estimated') ?? false,
    usageRaw: fields.value('usage_raw') ?? null,
    cacheEnabled: fields.flag('cache_enabled') ?? false,
    cached: cachedOf(fields),
    threat: fields.flag('threat'),
    isPassthroughBilling: fields.flag('is_passthrough_billing'),
  };
}

/** The largest count that a response may tell where the item does not. */
const maxReported = 2 ** 53;

/** The store holds the sum in 64 bits too. */
function assertTotal({
  prompt_tokens: prompt = maxReported,
  completion_tokens: completion = maxReported,
}: Record<string, number | null | undefined>): void {
  if ((prompt ?? 0) + (completion ?? 0) < 2 ** 64) return;
  throw new ItemFault('prompt_tokens', '`prompt_tokens` and `completion_tokens` are more than 64 bits hold together.');
}

/** Other services name no reference by this identifier. */
const noReference = '00000000-0000-0000-0000-000000000000';

function cachedOf(fields: ItemFields): boolean {
  const cached = fields.flag('cached');
  if (cached !== null) return cached;
  const reference = fields.text('cache_reference_id');
  return reference !== '' && reference !== noReference;
}

function attemptsOf(fields: ItemFields): readonly Attempt[] {
  const attempts = fields.value('attempts') ?? [];
  if (!Array.isArray(attempts) || !attempts.every(isAttempt)) {
    throw new ItemFault('attempts', '`attempts` takes a list of objects with `provider`, `status` and `ms`.');
  }
  return attempts;
}

function isAttempt(value: unknown): value is Attempt {
  if (!isJsonObject(value)) return false;
  const { provider, status, ms, error } = value;
  return (
    typeof provider === 'string' &&
    typeof status === 'number' &&
    typeof ms === 'number' &&
    (error === undefined || typeof error === 'string')
  );
}

/** A stated cost without a source is the importer's own figure, which no price list replaces. */
function costOf(fields: ItemFields): Pick<CheckedItem, 'cost' | 'costSource'> {
  const cost = fields.isAbsent('cost') ? fields.money('costUSD') : fields.money('cost');
  const named = costSources.find((source) => source === fields.value('cost_source'));
  return { cost, costSource: named ?? (cost === null ? 'none' : 'header') };
}

/** The name of feedback among the scores of older services. */
const olderFeedbackScore = 'helicone-score-feedback';

function scoresOf(fields: ItemFields): Map<string, number> {
  const scores = fields.scores('scores');
  const older = scores.get(olderFeedbackScore);
  if (older === undefined || scores.has(feedbackScore)) return scores;
  return new Map([...scores].map(([name, value]) => [name === olderFeedbackScore ? feedbackScore : name, value]));
}

function feedbackOf(fields: ItemFields, scores: Map<string, number>, otherwiseAt: number): ItemFeedback | null {
  const mirrored = scores.get(feedbackScore);
  // A score of that name that our own export has without a rating is only a score.
  const isOlder = fields.value('feedback_rating') === undefined && mirrored !== undefined;
  const rating = isOlder ? mirrored === 1 : fields.flag('feedback_rating');
  if (rating === null) return null;
  if (mirrored === undefined) scores.set(feedbackScore, rating ? 1 : 0);
  const id = fields.value('feedback_id');
  const number = typeof id === 'string' && /^\d{1,16}$/.test(id) && Number.isSafeInteger(Number(id)) ? Number(id) : null;
  return { number, rating, createdAt: fields.time('feedback_created_at') ?? otherwiseAt };
}

/** Bytes of a body as it passed, as far as its record tells. */
export function bytesOf(body: RecordedBody): number {
  if (body.kind === 'absent') return 0;
  return body.kind === 'binary' ? Math.floor((body.base64.length * 3) / 4) : Buffer.byteLength(body.text);
}

const absent: RecordedBody = { kind: 'absent' };

/** @param value with marked numbers. @param isHere the item has its bodies, so none is a notice. */
function bodyOf(value: unknown, isHere: boolean): RecordedBody {
  if (value === undefined || value === null) return absent;
  if (typeof value === 'string' && !isMarkedNumber(value)) return { kind: 'text', text: value.toWellFormed() };
  if (isJsonObject(value)) {
    const names = Object.keys(value);
    const { base64, content_type: contentType } = value;
    if (names.length === 2 && typeof base64 === 'string' && typeof contentType === 'string') return { kind: 'binary', base64, contentType };
    // Its place is taken by a notice that the body lies elsewhere.
    if (!isHere && names.length === 1 && names[0] === 'helicone_message') return absent;
  }
  return recordJson(value) ?? { kind: 'text', text: writeExactly(value) };
}
