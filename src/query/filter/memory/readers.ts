import type { Money } from '../../../model/pricing/money.ts';
import { type TextTagHeader, textTags } from '../../../model/record/text-tags.ts';
import type { RecordedBody } from '../../../model/record/request-record.ts';
import type {
  FieldDefinition,
  FieldGroup,
  fieldGroups,
  legacyFeedbackFields,
  legacyRequestFields,
  legacyResponseFields,
  MapWrapper,
  mapWrappers,
  requestFields,
  sessionFields,
  sessionPropertyFields,
} from '../../../model/vocabulary/fields.ts';
import { type FilterRecord, type Quantity, type SessionAggregates, totalTokensOf } from '../record.ts';

/** A record with the aggregates of its session, null without one. */
export interface Subject {
  readonly record: FilterRecord;
  readonly session: SessionAggregates | null;
}

/** A plain number, or an amount, which is compared as a decimal. */
export type NumberFound = Quantity | { readonly money: Money };

/** How a field's value is read. Empty text, null and missing names are absent. */
export type Reader =
  | { readonly kind: 'text'; readonly read: (subject: Subject) => string }
  /** Case-insensitive text. */
  | { readonly kind: 'identifier'; readonly read: (subject: Subject) => string }
  | { readonly kind: 'number'; readonly read: (subject: Subject) => NumberFound | null }
  | { readonly kind: 'timestamp'; readonly read: (subject: Subject) => number | null }
  | { readonly kind: 'boolean'; readonly read: (subject: Subject) => boolean | null }
  /** `aliased`: old names of session headers stand for ours. */
  | { readonly kind: 'texts'; readonly aliased: boolean; readonly read: (subject: Subject) => ReadonlyMap<string, string> }
  | { readonly kind: 'numbers'; readonly read: (subject: Subject) => ReadonlyMap<string, number> };

interface FittingReaders {
  readonly scalar: { text: 'text' | 'identifier'; number: 'number'; timestamp: 'timestamp'; boolean: 'boolean' };
  readonly map: { text: 'texts'; number: 'numbers'; timestamp: never; boolean: never };
  readonly key: { text: 'texts'; number: never; timestamp: never; boolean: never };
}

/** Does not compile when a field of the vocabulary has no reader. */
type ReadersOf<Fields extends Record<string, FieldDefinition>> = {
  readonly [Field in keyof Fields]: Extract<Reader, { kind: FittingReaders[Fields[Field]['shape']][Fields[Field]['family']] }>;
};

const noProperties: ReadonlyMap<string, string> = new Map();

type Underscored<Name extends string> = Name extends `${infer First}-${infer Rest}` ? `${First}_${Underscored<Rest>}` : Name;

const tagReaders = Object.fromEntries(
  Object.entries(textTags).map(([header, name]) => [header.replaceAll('-', '_'), text((record) => record[name])]),
) as Readonly<Record<Underscored<TextTagHeader>, Extracted<'text'>>>;

const requestReaders: ReadersOf<typeof requestFields> = {
  ...tagReaders,
  country_code: text((record) => record.countryCode),
  provider: text((record) => record.provider),
  model: text((record) => record.model),
  user_id: text((record) => record.userId),
  failure_type: text((record) => record.failure?.type ?? ''),
  client: text((record) => record.client),
  client_version: text((record) => record.clientVersion),
  organization_id: identifier((record) => record.organizationId),
  trace_id: text((record) => record.traceId),
  span_id: text((record) => record.spanId),
  request_id: identifier((record) => record.requestId),
  target_url: text((record) => record.targetUrl),
  scores_column: text(({ scores }) => madeOnce(scores, () => jsonObjectText(scores))),
  request_body: text((record) => bodyText(record.requestBody)),
  response_body: text((record) => bodyText(record.responseBody)),
  cache_reference_id: identifier((record) => record.cacheReferenceId),
  assets: text(({ assets }) => madeOnce(assets, () => JSON.stringify(assets))),
  prompt_id: text((record) => record.promptId),
  request_referrer: text((record) => record.referrer),
  latency: number((record) => record.latencyMs),
  cost: number(({ cost }) => (cost === null ? null : { money: cost })),
  time_to_first_byte: number((record) => record.timeToFirstByteMs),
  time_to_first_token: number((record) => record.timeToFirstTokenMs),
  status: number((record) => record.status),
  prompt_tokens: number(({ usage }) => usage.promptTokens),
  completion_tokens: number(({ usage }) => usage.completionTokens),
  prompt_cache_read_tokens: number(({ usage }) => usage.promptCacheReadTokens),
  prompt_cache_write_tokens: number(({ usage }) => usage.promptCacheWriteTokens),
  total_tokens: number(totalTokensOf),
  request_created_at: timestamp((record) => record.createdAt),
  response_created_at: timestamp((record) => record.responseCreatedAt),
  failed: boolean((record) => record.failure !== null),
  streamed: boolean((record) => record.streamed),
  threat: boolean((record) => record.threat),
  cache_enabled: boolean((record) => record.cacheEnabled),
  cached: boolean((record) => record.cached),
  'svc-score-feedback': boolean(({ feedback }) => feedback?.rating ?? null),
  is_passthrough_billing: boolean((record) => record.isPassthroughBilling),
  property_key: { kind: 'texts', aliased: true, read: ({ record }) => record.properties },
  properties: { kind: 'texts', aliased: true, read: ({ record }) => record.properties },
  search_properties: { kind: 'texts', aliased: true, read: ({ record }) => record.properties },
  scores: { kind: 'numbers', read: ({ record }) => record.scores },
};

const sessionReaders: ReadersOf<typeof sessionFields> = {
  session_session_id: text((record) => record.sessionId),
  session_session_name: { kind: 'text', read: ({ session }) => session?.name ?? '' },
  session_tag: { kind: 'text', read: ({ session }) => session?.tag ?? '' },
  session_total_cost: { kind: 'number', read: ({ session }) => (session === null ? null : { money: session.cost }) },
  session_total_tokens: { kind: 'number', read: ({ session }) => session?.totalTokens ?? null },
  session_prompt_tokens: { kind: 'number', read: ({ session }) => session?.promptTokens ?? null },
  session_completion_tokens: { kind: 'number', read: ({ session }) => session?.completionTokens ?? null },
  session_total_requests: { kind: 'number', read: ({ session }) => session?.requests ?? null },
  session_created_at: { kind: 'timestamp', read: ({ session }) => session?.firstArrivalAt ?? null },
  session_latest_request_created_at: { kind: 'timestamp', read: ({ session }) => session?.latestArrivalAt ?? null },
};

const sessionPropertyReaders: ReadersOf<typeof sessionPropertyFields> = {
  properties: { kind: 'texts', aliased: true, read: ({ session }) => session?.properties ?? noProperties },
};

const legacyRequestReaders: ReadersOf<typeof legacyRequestFields> = {
  prompt: text((record) => record.promptText),
  user_id: text((record) => record.userId),
  auth_hash: text((record) => record.keyHash),
  org_id: identifier((record) => record.organizationId),
  id: identifier((record) => record.requestId),
  node_id: text((record) => record.nodeId),
  model: text((record) => record.requestModel),
  modelOverride: text((record) => record.modelOverride),
  path: text((record) => record.path),
  country_code: text((record) => record.countryCode),
  prompt_id: text((record) => record.promptId),
  created_at: timestamp((record) => record.createdAt),
};

const legacyResponseReaders: ReadersOf<typeof legacyResponseFields> = {
  body_tokens: number(totalTokensOf),
  status: number((record) => record.status),
  body_model: text((record) => record.responseModel),
  body_completion: text((record) => record.completionText),
  model: text((record) => record.responseModel),
};

const legacyFeedbackReaders: ReadersOf<typeof legacyFeedbackFields> = {
  id: number(({ feedback }) => feedback?.number ?? null),
  created_at: timestamp(({ feedback }) => feedback?.createdAt ?? null),
  rating: boolean(({ feedback }) => feedback?.rating ?? null),
  response_id: text(({ feedback, responseId }) => (feedback === null ? '' : responseId)),
};

const inputReaders: ReadersOf<typeof mapWrappers> = {
  values: { kind: 'texts', aliased: false, read: ({ record }) => record.inputs },
};

const groupReaders: { readonly [Group in FieldGroup]: ReadersOf<(typeof fieldGroups)[Group]> } & Readonly<
  Record<MapWrapper, typeof inputReaders>
> = {
  request_response_rmt: requestReaders,
  sessions_request_response_rmt: sessionReaders,
  session: sessionPropertyReaders,
  request: legacyRequestReaders,
  response: legacyResponseReaders,
  feedback: legacyFeedbackReaders,
  values: inputReaders,
};

/** @throws TypeError for an unchecked field: a fault in our own code. */
export function readerOf(group: FieldGroup | MapWrapper, field: string): Reader {
  const readers: Readonly<Record<string, Reader>> = groupReaders[group];
  const reader = Object.hasOwn(readers, field) ? readers[field] : undefined;
  if (reader === undefined) throw new TypeError(`The field ${field} was not checked before it was read.`);
  return reader;
}

type Extracted<Kind extends Reader['kind']> = Extract<Reader, { kind: Kind }>;

function text(read: (record: FilterRecord) => string): Extracted<'text'> {
  return { kind: 'text', read: ({ record }) => read(record) };
}

function identifier(read: (record: FilterRecord) => string): Extracted<'identifier'> {
  return { kind: 'identifier', read: ({ record }) => read(record) };
}

function number(read: (record: FilterRecord) => NumberFound | null): Extracted<'number'> {
  return { kind: 'number', read: ({ record }) => read(record) };
}

function timestamp(read: (record: FilterRecord) => number | null): Extracted<'timestamp'> {
  return { kind: 'timestamp', read: ({ record }) => read(record) };
}

function boolean(read: (record: FilterRecord) => boolean | null): Extracted<'boolean'> {
  return { kind: 'boolean', read: ({ record }) => read(record) };
}

function bodyText(body: RecordedBody): string {
  return body.kind === 'json' || body.kind === 'text' ? body.text : '';
}

const madeTexts = new WeakMap<object, string>();

/** The text of a value, made for the first of the conditions that look at it. */
function madeOnce(value: object, make: () => string): string {
  const made = madeTexts.get(value) ?? make();
  madeTexts.set(value, made);
  return made;
}

/** TRICKY: an object would move names that look like array indexes to the front, and lose `__proto__`. Names are in byte order. */
function jsonObjectText(entries: ReadonlyMap<string, number>): string {
  const sorted = [...entries].toSorted(([left], [right]) => orderOfBytes(left, right));
  return `{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

/** TRICKY: JavaScript compares UTF-16, in which a character beyond U+FFFF sorts before some that it follows in UTF-8. */
function orderOfBytes(left: string, right: string): number {
  for (let index = 0; index < left.length && index < right.length; index += 1) {
    const order = (left.codePointAt(index) ?? 0) - (right.codePointAt(index) ?? 0);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
