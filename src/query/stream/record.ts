import { parseMoney } from '../../model/pricing/money.ts';
import { type Failure, failureKinds } from '../../model/record/failure.ts';
import type { RecordedBody } from '../../model/record/request-record.ts';
import { emptyTextTags } from '../../model/record/text-tags.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { derivedTexts } from '../../sql/derived-texts.ts';
import { type Fragment, sql } from '../../sql/sql.ts';
import type { FilterNode } from '../filter/ast.ts';
import { matchesInSteps } from '../filter/memory/interpret.ts';
import type { FilterRecord, Quantity, RecordFeedback, SessionAggregates } from '../filter/record.ts';
import type { Steps, Work } from '../filter/memory/texts/work.ts';
import type { NumberCell } from '../requests/columns.ts';
import type { StreamRow } from './rows.ts';

/** The texts of a record that filters search. */
export interface TextsRow {
  readonly id: string;
  readonly request_kind: string;
  readonly request_text: string;
  readonly response_kind: string;
  readonly response_text: string;
  readonly prompt: string;
  readonly completion: string;
}

/** Columns of a {@link TextsRow} for a query over `bodies`. */
export const textsRowColumns: Fragment = sql`UUIDNumToString(reverse(reinterpretAsFixedString(request_id))) AS id, request_kind, request_body AS request_text, response_kind, response_body AS response_text, ${derivedTexts.prompt} AS prompt, ${derivedTexts.completion} AS completion`;

/** Of a record without a row in `bodies`. */
export const noTexts: Omit<TextsRow, 'id'> = {
  request_kind: 'absent',
  request_text: '',
  response_kind: 'absent',
  response_text: '',
  prompt: '',
  completion: '',
};

/** Whether a record matches, or what must be read to tell. */
export type Decision = boolean | 'texts' | 'session';

const textsNeeded = new Error('the texts of the record are needed');
const sessionNeeded = new Error('the session of the record is needed');

const unknownSession = new Proxy({} as SessionAggregates, {
  get: () => {
    throw sessionNeeded;
  },
});

/**
 * Decides as far as the conditions in front need it: most records need neither texts nor their session. @param session undefined: not read.
 * @throws TooMuchWork
 */
export function* decide(filter: FilterNode, record: FilterRecord, session: SessionAggregates | undefined, work: Work): Steps<Decision> {
  try {
    return yield* matchesInSteps(filter, record, session ?? unknownSession, work);
  } catch (error) {
    if (error === textsNeeded) return 'texts';
    if (error === sessionNeeded) return 'session';
    throw error;
  }
}

/** A stored record as filters read it. @param texts undefined: not read; {@link decide} says when they are needed. */
export function filterRecordOf(row: StreamRow, texts: Omit<TextsRow, 'id'> | undefined): FilterRecord {
  const given = (): Omit<TextsRow, 'id'> => {
    if (texts === undefined) throw textsNeeded;
    return texts;
  };
  return {
    ...emptyTextTags,
    ...storedFields(row),
    get requestBody() {
      return bodyOf(given().request_kind, given().request_text);
    },
    get responseBody() {
      return bodyOf(given().response_kind, given().response_text);
    },
    get promptText() {
      return given().prompt;
    },
    get completionText() {
      return given().completion;
    },
  };
}

type Texts = 'requestBody' | 'responseBody' | 'promptText' | 'completionText';

function storedFields(row: StreamRow): Omit<FilterRecord, Texts | 'experimentId'> {
  return {
    organizationId: row.organization as OrganizationId,
    requestId: row.id as RequestId,
    createdAt: Number(row.created_ms),
    responseCreatedAt: row.response_created_ms === null ? null : Number(row.response_created_ms),
    keyHash: row.key_hash,
    path: row.path,
    referrer: row.referrer,
    targetUrl: row.target_url,
    provider: row.provider,
    countryCode: row.country_code,
    client: row.client,
    clientVersion: row.client_version,
    requestModel: row.request_model,
    responseModel: row.response_model,
    modelOverride: row.model_override,
    model: row.model,
    userId: row.user_id,
    sessionId: row.session_id,
    sessionName: row.session_name,
    promptId: row.prompt_id,
    promptVersion: row.prompt_version,
    jobId: row.job_id,
    nodeId: row.node_id,
    traceId: row.trace_id,
    spanId: row.span_id,
    responseId: row.response_id,
    cacheReferenceId: row.cache_reference_id,
    properties: mapOf(row.properties),
    inputs: mapOf(row.inputs ?? {}),
    assets: row.assets,
    failure: failureOf(row),
    streamed: row.streamed,
    threat: row.threat,
    cacheEnabled: row.cache_enabled,
    cached: row.cached,
    isPassthroughBilling: row.is_passthrough_billing,
    status: Number(row.status),
    cost: row.cost_text === null ? null : (parseMoney(row.cost_text) ?? null),
    latencyMs: quantity(row.latency),
    timeToFirstByteMs: quantity(row.time_to_first_byte),
    timeToFirstTokenMs: quantity(row.time_to_first_token),
    usage: {
      promptTokens: quantity(row.prompt_tokens),
      completionTokens: quantity(row.completion_tokens),
      promptCacheReadTokens: quantity(row.prompt_cache_read_tokens),
      promptCacheWriteTokens: quantity(row.prompt_cache_write_tokens),
    },
    scores: mapOf(row.scores),
    feedback: feedbackOf(row),
  };
}

function failureOf({ failure_kind: name, failure_type: type, failure_message: message }: StreamRow): Failure | null {
  const kind = failureKinds.find((known) => known === name);
  return kind === undefined ? null : { kind, type, message };
}

function feedbackOf({
  feedback_number: number,
  feedback_created_ms: createdMs,
  feedback_rating: rating,
}: StreamRow): RecordFeedback | null {
  return number === null || createdMs === null || rating === null ? null : { number: Number(number), createdAt: Number(createdMs), rating };
}

function mapOf<Value>(values: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> {
  return new Map(Object.entries(values));
}

function quantity(cell: NumberCell | null): Quantity | null {
  return typeof cell === 'string' ? BigInt(cell) : cell;
}

function bodyOf(kind: string, text: string): RecordedBody {
  return kind === 'json' || kind === 'text' ? { kind, text } : { kind: 'absent' };
}
