import { derivedTexts } from '../../../sql/derived-texts.ts';
import { type ColumnName, type RequestColumns, requestColumns as catalogue } from '../../../model/record/columns.ts';
import {
  type FieldDefinition,
  type FieldGroup,
  legacyFeedbackFields,
  legacyRequestFields,
  legacyResponseFields,
  type MapWrapper,
  type mapWrappers,
  requestFields,
  type sessionFields,
  type sessionPropertyFields,
} from '../../../model/vocabulary/fields.ts';
import { type Fragment, sql } from '../../../sql/sql.ts';
import { columnName } from '../../../sql/identifier.ts';
import { newestFirstKey } from './newest-first.ts';
import { jsonOfNumbers, jsonOfTexts } from './json-text.ts';

export type IndexedBody = 'request' | 'response';

/** The storage of a text field. Only `properties` distinguishes an empty value from an absent one. */
export type TextColumn =
  | { readonly kind: 'text'; readonly text: Fragment }
  /** `equals` and `not-equals` ignore case. */
  | { readonly kind: 'folded'; readonly text: Fragment }
  /** Stored in lower case, so values are lower-cased. `number` is the indexed column of a UUID. */
  | { readonly kind: 'identifier'; readonly text: Fragment; readonly number: Fragment | null }
  /** A text of `bodies`. With `body` it is a whole one: absent when binary, and with words in the index. */
  | { readonly kind: 'body'; readonly text: Fragment; readonly body: IndexedBody | null }
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
 * Columns of a filter group, by the family of the field. Expressions of groups over `sessions` are used in a query over the requests of
 * each session, others in one over `requests`.
 */
export interface GroupColumns {
  readonly over: 'requests' | 'sessions';
  /** Session fields that each request of the session contains. */
  readonly rowLevel?: readonly string[];
  readonly text: Readonly<Record<string, TextColumn>>;
  readonly number: Readonly<Record<string, NumberColumn>>;
  readonly timestamp: Readonly<Record<string, Fragment>>;
  readonly boolean: Readonly<Record<string, Fragment>>;
}

type FieldsOf<Fields extends Record<string, FieldDefinition>, Family> = {
  [Field in keyof Fields]: Fields[Field] extends { shape: 'scalar' | 'map'; family: Family } ? Field : never;
}[keyof Fields];

/** Does not compile when a field of the vocabulary has no column. */
interface ColumnsOf<Fields extends Record<string, FieldDefinition>> extends GroupColumns {
  readonly text: Readonly<Record<FieldsOf<Fields, 'text'>, TextColumn>>;
  readonly number: Readonly<Record<FieldsOf<Fields, 'number'>, NumberColumn>>;
  readonly timestamp: Readonly<Record<FieldsOf<Fields, 'timestamp'>, Fragment>>;
  readonly boolean: Readonly<Record<FieldsOf<Fields, 'boolean'>, Fragment>>;
}

interface FamilyColumns {
  text: TextColumn;
  number: NumberColumn;
  timestamp: Fragment;
  boolean: Fragment;
}

interface TypesOfFamily {
  text: 'text';
  number: 'uint16' | 'uint64' | 'float64' | 'money';
  timestamp: 'time';
  boolean: 'flag';
}

/** Fields whose name is a column with values of the family. */
type NamedAsColumn<Fields extends Record<string, FieldDefinition>, Family extends keyof TypesOfFamily> = {
  [Name in ColumnName]: RequestColumns[Name]['type'] extends TypesOfFamily[Family] ? Name : never;
}[ColumnName] &
  FieldsOf<Fields, Family>;

/** Does not compile when a field is neither named like a column nor has an expression. */
type Expressions<Fields extends Record<string, FieldDefinition>> = {
  readonly [Family in keyof TypesOfFamily]: Readonly<
    Record<Exclude<FieldsOf<Fields, Family>, NamedAsColumn<Fields, Family>>, FamilyColumns[Family]> &
      Partial<Record<FieldsOf<Fields, Family>, FamilyColumns[Family]>>
  >;
};

/** Columns of request fields. A field without an expression reads the column of its name. */
function columnsOf<Fields extends Record<string, FieldDefinition>>(fields: Fields, expressions: Expressions<Fields>): ColumnsOf<Fields> {
  const columnFields = Object.keys(fields).filter((field): field is ColumnName => Object.hasOwn(catalogue, field));
  const ofFamily = <Column>(family: keyof TypesOfFamily, columnOf: (name: ColumnName) => Column): Record<string, Column> =>
    Object.fromEntries(columnFields.filter((name) => fields[name]?.family === family).map((name) => [name, columnOf(name)]));
  return {
    over: 'requests',
    text: { ...ofFamily('text', (name) => text(columnName(name))), ...expressions.text },
    number: { ...ofFamily('number', numberColumn), ...expressions.number },
    timestamp: { ...ofFamily('timestamp', columnName), ...expressions.timestamp },
    boolean: { ...ofFamily('boolean', columnName), ...expressions.boolean },
  };
}

function numberColumn(name: ColumnName): NumberColumn {
  const { type, nullable } = catalogue[name];
  return type === 'money' ? { kind: 'money', amount: columnName(name) } : { kind: 'number', number: columnName(name), nullable };
}

const requestColumns = columnsOf(requestFields, {
  text: {
    provider: { kind: 'folded', text: sql`provider` },
    organization_id: { kind: 'identifier', text: sql`org_text`, number: sql`org_id` },
    request_id: { kind: 'identifier', text: sql`id_text`, number: sql`request_id` },
    scores_column: text(jsonOfNumbers(sql`scores`)),
    request_body: { kind: 'body', text: sql`request_body`, body: 'request' },
    response_body: { kind: 'body', text: sql`response_body`, body: 'response' },
    cache_reference_id: { kind: 'identifier', text: sql`cache_reference_id`, number: null },
    assets: text(jsonOfTexts(sql`assets`)),
    request_referrer: text(sql`referrer`),
    properties: { kind: 'properties', equals: 'exact' },
    search_properties: { kind: 'properties', equals: 'pattern' },
  },
  number: {
    scores: { kind: 'scores' },
  },
  timestamp: {
    request_created_at: sql`created_at`,
  },
  boolean: {
    failed: sql`failure_kind != ''`,
    'svc-score-feedback': sql`feedback_rating`,
  },
});

const inputColumns: ColumnsOf<typeof mapWrappers> = {
  over: 'requests',
  text: { values: { kind: 'inputs' } },
  number: {},
  timestamp: {},
  boolean: {},
};

const sessionColumns = {
  over: 'sessions',
  // The tag is stored beside the requests, under the session's identifier.
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

const legacyRequestColumns = columnsOf(legacyRequestFields, {
  text: {
    prompt: { kind: 'body', text: derivedTexts.prompt, body: null },
    auth_hash: text(sql`key_hash`),
    org_id: requestColumns.text.organization_id,
    id: requestColumns.text.request_id,
    model: text(sql`request_model`),
    modelOverride: text(sql`model_override`),
  },
  number: {},
  timestamp: { created_at: requestColumns.timestamp.request_created_at },
  boolean: {},
});

const legacyResponseColumns = columnsOf(legacyResponseFields, {
  text: {
    body_model: text(sql`response_model`),
    body_completion: { kind: 'body', text: derivedTexts.completion, body: null },
    model: text(sql`response_model`),
  },
  number: { body_tokens: requestColumns.number.total_tokens },
  timestamp: {},
  boolean: {},
});

const legacyFeedbackColumns = columnsOf(legacyFeedbackFields, {
  text: { response_id: text(sql`if(isNull(feedback_rating), '', response_id)`) },
  number: { id: { kind: 'number', number: sql`feedback_number`, nullable: true } },
  timestamp: { created_at: sql`feedback_created_at` },
  boolean: { rating: requestColumns.boolean['svc-score-feedback'] },
});

export const groupColumns: Readonly<Record<FieldGroup | MapWrapper, GroupColumns>> = {
  request_response_rmt: requestColumns,
  sessions_request_response_rmt: sessionColumns,
  session: sessionPropertyColumns,
  request: legacyRequestColumns,
  response: legacyResponseColumns,
  feedback: legacyFeedbackColumns,
  values: inputColumns,
};

/** The name of a session, over the group of its requests. */
export const sessionName: Fragment = sessionColumns.text.session_session_name.text;

/** TRICKY: a sum of UInt64 wraps round silently. */
function sumOf(column: Fragment): NumberColumn {
  return { kind: 'number', number: sql`ifNull(sum(toUInt128(${column})), 0)`, nullable: false };
}

function text(column: Fragment): Extract<TextColumn, { kind: 'text' }> {
  return { kind: 'text', text: column };
}
