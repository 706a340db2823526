import type {
  FieldDefinition,
  FieldGroup,
  legacyFeedbackFields,
  legacyRequestFields,
  legacyResponseFields,
  MapWrapper,
  mapWrappers,
  requestFields,
  sessionFields,
  sessionPropertyFields,
} from '../../../model/vocabulary/fields.ts';
import { type Fragment, sql } from '../../../sql/sql.ts';
import { newestFirstKey } from './newest-first.ts';
import { jsonOfNumbers, jsonOfTexts } from './json-text.ts';

/** Where a text field is kept. Only `properties` tells an empty value from an absent one. */
export type TextColumn =
  | { readonly kind: 'text'; readonly text: Fragment }
  /** `equals` and `not-equals` compare without regard to case. */
  | { readonly kind: 'folded'; readonly text: Fragment }
  /** Kept in lower case, so that values are read in lower case. `number` is the indexed column behind the text of a UUID. */
  | { readonly kind: 'identifier'; readonly text: Fragment; readonly number: Fragment | null }
  /** A text of `bodies`. Where `bodyKind` is given it is a body as such: absent when binary, and with a text index over it. */
  | { readonly kind: 'body'; readonly text: Fragment; readonly bodyKind: Fragment | null }
  | { readonly kind: 'properties'; readonly equals: 'exact' | 'pattern' }
  | { readonly kind: 'inputs' }
  | { readonly kind: 'sessionProperties' }
  | { readonly kind: 'sessionTag' };

/** `nullable` columns hold NULL for an absent number. */
export type NumberColumn =
  | { readonly kind: 'number'; readonly number: Fragment; readonly nullable: boolean }
  | { readonly kind: 'money'; readonly amount: Fragment }
  | { readonly kind: 'scores' };

/**
 * Columns of a filter group, by the family of the field. The expressions stand in a query over `requests`, those of a group over `sessions` in
 * one over the requests of each session.
 */
export interface GroupColumns {
  readonly over: 'requests' | 'sessions';
  /** Fields over sessions that each request of the session tells by itself. */
  readonly rowLevel?: readonly string[];
  readonly text: Readonly<Record<string, TextColumn>>;
  readonly number: Readonly<Record<string, NumberColumn>>;
  readonly timestamp: Readonly<Record<string, Fragment>>;
  readonly boolean: Readonly<Record<string, Fragment>>;
}

/** Fields of a vocabulary table that belong to a family and are no question for a key. */
type FieldsOf<Fields extends Record<string, FieldDefinition>, Family> = {
  [Field in keyof Fields]: Fields[Field] extends { shape: 'scalar' | 'map'; family: Family } ? Field : never;
}[keyof Fields];

/** Compilation fails here when the vocabulary gains a field that has no column. */
interface ColumnsOf<Fields extends Record<string, FieldDefinition>> extends GroupColumns {
  readonly text: Readonly<Record<FieldsOf<Fields, 'text'>, TextColumn>>;
  readonly number: Readonly<Record<FieldsOf<Fields, 'number'>, NumberColumn>>;
  readonly timestamp: Readonly<Record<FieldsOf<Fields, 'timestamp'>, Fragment>>;
  readonly boolean: Readonly<Record<FieldsOf<Fields, 'boolean'>, Fragment>>;
}

const requestColumns: ColumnsOf<typeof requestFields> = {
  over: 'requests',
  text: {
    country_code: text(sql`country_code`),
    provider: { kind: 'folded', text: sql`provider` },
    model: text(sql`model`),
    user_id: text(sql`user_id`),
    organization_id: { kind: 'identifier', text: sql`org_text`, number: sql`org_id` },
    node_id: text(sql`node_id`),
    job_id: text(sql`job_id`),
    request_id: { kind: 'identifier', text: sql`id_text`, number: sql`request_id` },
    target_url: text(sql`target_url`),
    scores_column: text(jsonOfNumbers(sql`scores`)),
    request_body: { kind: 'body', text: sql`request_body`, bodyKind: sql`request_kind` },
    response_body: { kind: 'body', text: sql`response_body`, bodyKind: sql`response_kind` },
    cache_reference_id: { kind: 'identifier', text: sql`cache_reference_id`, number: null },
    assets: text(jsonOfTexts(sql`assets`)),
    prompt_id: text(sql`prompt_id`),
    prompt_version: text(sql`prompt_version`),
    request_referrer: text(sql`referrer`),
    properties: { kind: 'properties', equals: 'exact' },
    search_properties: { kind: 'properties', equals: 'pattern' },
  },
  number: {
    latency: { kind: 'number', number: sql`latency`, nullable: true },
    cost: { kind: 'money', amount: sql`cost` },
    time_to_first_token: { kind: 'number', number: sql`time_to_first_token`, nullable: true },
    status: { kind: 'number', number: sql`status`, nullable: false },
    prompt_tokens: { kind: 'number', number: sql`prompt_tokens`, nullable: true },
    completion_tokens: { kind: 'number', number: sql`completion_tokens`, nullable: true },
    prompt_cache_read_tokens: { kind: 'number', number: sql`prompt_cache_read_tokens`, nullable: true },
    prompt_cache_write_tokens: { kind: 'number', number: sql`prompt_cache_write_tokens`, nullable: true },
    total_tokens: { kind: 'number', number: sql`total_tokens`, nullable: true },
    scores: { kind: 'scores' },
  },
  timestamp: {
    request_created_at: sql`created_at`,
    response_created_at: sql`response_created_at`,
  },
  boolean: {
    threat: sql`threat`,
    cache_enabled: sql`cache_enabled`,
    cached: sql`cached`,
    'svc-score-feedback': sql`feedback_rating`,
    is_passthrough_billing: sql`is_passthrough_billing`,
  },
};

const inputColumns: ColumnsOf<typeof mapWrappers> = {
  over: 'requests',
  text: { values: { kind: 'inputs' } },
  number: {},
  timestamp: {},
  boolean: {},
};

const sessionColumns = {
  over: 'sessions',
  // The tag stands beside the requests, under the session's identifier.
  rowLevel: ['session_session_id', 'session_tag'],
  text: {
    session_session_id: text(sql`session_id`),
    session_session_name: text(sql`argMaxIf(session_name, ${newestFirstKey}, session_name != '')`),
    session_tag: { kind: 'sessionTag' },
  },
  number: {
    session_total_cost: { kind: 'money', amount: sql`ifNull(sum(cost), 0)` },
    session_total_tokens: sumOf(sql`total_tokens`),
    session_prompt_tokens: sumOf(sql`prompt_tokens`),
    session_completion_tokens: sumOf(sql`completion_tokens`),
    session_total_requests: { kind: 'number', number: sql`count()`, nullable: false },
  },
  timestamp: {
    session_created_at: sql`min(created_at)`,
    session_latest_request_created_at: sql`max(created_at)`,
  },
  boolean: {},
} satisfies ColumnsOf<typeof sessionFields>;

const sessionPropertyColumns: ColumnsOf<typeof sessionPropertyFields> = {
  over: 'sessions',
  text: { properties: { kind: 'sessionProperties' } },
  number: {},
  timestamp: {},
  boolean: {},
};

const legacyRequestColumns: ColumnsOf<typeof legacyRequestFields> = {
  over: 'requests',
  text: {
    prompt: { kind: 'body', text: sql`prompt_text`, bodyKind: null },
    user_id: requestColumns.text.user_id,
    auth_hash: text(sql`key_hash`),
    org_id: requestColumns.text.organization_id,
    id: requestColumns.text.request_id,
    node_id: requestColumns.text.node_id,
    model: text(sql`request_model`),
    modelOverride: text(sql`model_override`),
    path: text(sql`path`),
    country_code: requestColumns.text.country_code,
    prompt_id: requestColumns.text.prompt_id,
  },
  number: {},
  timestamp: { created_at: requestColumns.timestamp.request_created_at },
  boolean: {},
};

const legacyResponseColumns: ColumnsOf<typeof legacyResponseFields> = {
  over: 'requests',
  text: {
    body_model: text(sql`response_model`),
    body_completion: { kind: 'body', text: sql`completion_text`, bodyKind: null },
    model: text(sql`response_model`),
  },
  number: { body_tokens: requestColumns.number.total_tokens, status: requestColumns.number.status },
  timestamp: {},
  boolean: {},
};

const legacyFeedbackColumns: ColumnsOf<typeof legacyFeedbackFields> = {
  over: 'requests',
  text: { response_id: text(sql`if(isNull(feedback_rating), '', response_id)`) },
  number: { id: { kind: 'number', number: sql`feedback_number`, nullable: true } },
  timestamp: { created_at: sql`feedback_created_at` },
  boolean: { rating: requestColumns.boolean['svc-score-feedback'] },
};

/** Columns of every filter group. */
export const groupColumns: Readonly<Record<FieldGroup | MapWrapper, GroupColumns>> = {
  request_response_rmt: requestColumns,
  sessions_request_response_rmt: sessionColumns,
  session: sessionPropertyColumns,
  request: legacyRequestColumns,
  response: legacyResponseColumns,
  feedback: legacyFeedbackColumns,
  values: inputColumns,
};

/** The name of a whole session, over the group of its requests. */
export const sessionName: Fragment = sessionColumns.text.session_session_name.text;

/** TRICKY: a sum of UInt64 is one itself and wraps round without a word. */
function sumOf(column: Fragment): NumberColumn {
  return { kind: 'number', number: sql`ifNull(sum(toUInt128(${column})), 0)`, nullable: false };
}

function text(column: Fragment): Extract<TextColumn, { kind: 'text' }> {
  return { kind: 'text', text: column };
}
