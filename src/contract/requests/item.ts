import { z } from 'zod';
import { type ItemUse, type FieldOf, type RequestColumns, type ItemColumn, itemColumns } from '../../model/record/columns.ts';
import { failureKinds } from '../../model/record/failure.ts';
import { costSources } from '../../model/record/request-record.ts';

const timestamp = (description: string): z.ZodString =>
  z.string().meta({ description, format: 'date-time', example: '2026-01-31T12:00:00.000Z' });

const number = (description: string): z.ZodNumber => z.number().meta({ description });
const texts = (description: string) => z.record(z.string(), z.string()).meta({ description });
const nullableText = (description: string) => z.string().nullable().meta({ description });
const nullableNumber = (description: string) => z.number().nullable().meta({ description });

type ItemType = ItemUse['type'];

/** The schema of a field by the type of its column. */
const schemaOf = {
  text: (description: string) => z.string().meta({ description }),
  time: timestamp,
  uint16: number,
  uint64: number,
  float64: number,
  flag: (description: string) => z.boolean().meta({ description }),
  numbers: (description: string) => z.record(z.string(), z.number()).meta({ description }),
} satisfies Record<ItemType, (description: string) => z.ZodType>;

type SchemaOf<Type extends ItemType> = ReturnType<(typeof schemaOf)[Type]>;

export const bodySchema = (of: string): z.ZodUnknown =>
  z.unknown().meta({
    description: `Body of the ${of}: JSON as such, other text as a string, bytes as {"base64", "content_type"}; null when it was not kept or not asked for.`,
  });

const properties = texts('Custom properties by name.');

const attempt = z.object({
  provider: z.string().meta({ description: 'Provider to which the attempt went.' }),
  status: z.number().meta({ description: 'Its HTTP status, 0 without a response.' }),
  ms: z.number().meta({ description: 'Milliseconds that the attempt took.' }),
  error: z.string().optional().meta({
    description:
      'Why there was no whole response, or no answer in it: provider_unreachable, provider_timeout, provider_broke, client_left, reply_error.',
  }),
});

const failure = z.object({
  kind: z.enum(failureKinds).meta({
    description:
      "`status`: the provider's status says so; `reply`: its status is good, and the reply carries an error; `stream`: the reply broke off before its end; `no_reply`: there was none; `refused`: by Gatelog.",
  }),
  type: nullableText("The provider's own word, such as `overloaded_error`, or the code of Gatelog's error."),
  message: nullableText('What the reply says of it, at most 1 KiB; null where the response is not kept.'),
});

type ColumnSchema<Name extends ItemColumn> = RequestColumns[Name]['nullable'] extends true
  ? z.ZodNullable<SchemaOf<RequestColumns[Name]['type']>>
  : RequestColumns[Name] extends { type: 'text'; use: { empty: null } }
    ? z.ZodNullable<z.ZodString>
    : SchemaOf<RequestColumns[Name]['type']>;

function columnSchema({ type, nullable, field }: ItemUse): z.ZodType {
  const schema = schemaOf[type](field.description);
  return nullable || (type === 'text' && field.empty === null) ? schema.nullable() : schema;
}

const columnFields = Object.fromEntries(itemColumns.map((column) => [column.field.name, columnSchema(column)])) as {
  [Name in ItemColumn as FieldOf<Name>]: ColumnSchema<Name>;
};

/** Fields that are computed from the key, the bodies, or columns that are not shown as they are. */
const ownFields = {
  request_id: z.string().meta({ description: 'Identifier, the value of the response header svc-id.' }),
  request_created_at: timestamp('When the request arrived.'),
  request_body: bodySchema('request'),
  request_properties: properties,
  response_body: bodySchema('response'),
  delay_ms: nullableNumber('Same as latency.'),
  usage_raw: z.unknown().meta({ description: "The provider's usage object as received." }),
  attempts: z.array(attempt).nullable().meta({
    description: 'The attempts at providers, retries and fallbacks, when there was more than one, else null. The item is of the last.',
  }),
  failure: failure.nullable().meta({ description: 'Why the call failed; null: it did not.' }),
  cost: nullableNumber('Cost in US dollars.'),
  costUSD: nullableNumber('Same as cost.'),
  cost_source: z.enum(costSources).meta({ description: 'Where the cost comes from.' }),
  properties,
  assets: z.array(z.string()).meta({ description: 'Identifiers of assets.' }),
  asset_ids: z.array(z.string()).meta({ description: 'Same as assets.' }),
  asset_urls: z.record(z.string(), z.string()).nullable().meta({ description: 'Addresses of assets by identifier.' }),
  inputs: z.record(z.string(), z.string()).nullable().meta({ description: 'Prompt inputs by name; null unless asked for.' }),
  organization_id: z.string().meta({ description: 'Organisation that owns the record.' }),
  helicone_user: z.null().meta({ description: 'Always null; kept for older clients.' }),
  feedback_id: nullableText('Number of the feedback, as text.'),
  signed_body_url: nullableText('Address that returns both bodies without a key, for an hour.'),
  llmSchema: z.null().meta({ description: 'Always null; kept for older clients.' }),
  ai_gateway_body_mapping: z.literal('').meta({ description: 'Always empty; kept for older clients.' }),
  storage_location: z.string().meta({ description: 'Where the bodies are; `clickhouse` in this version.' }),
  updated_at: timestamp('When the record changed last.'),
};

/** The order of the fields in the document; other fields come last. */
const fieldOrder = `
  request_id request_created_at request_path request_referrer request_body input_preview request_user_id request_properties request_model
  model_override node_id job_id trace_id span_id response_id response_created_at response_status failure response_body output_preview response_model model provider
  target_url country_code client client_version delay_ms latency time_to_first_byte time_to_first_token streamed gateway_overhead_ms prompt_tokens completion_tokens total_tokens
  reasoning_tokens usage_raw attempts prompt_cache_read_tokens prompt_cache_write_tokens prompt_audio_tokens
  completion_audio_tokens usage_estimated cost costUSD cost_source properties scores assets asset_ids asset_urls prompt_id
  prompt_version inputs cache_enabled cached cache_reference_id threat is_passthrough_billing session_id session_name session_path
  organization_id helicone_user feedback_created_at feedback_id feedback_rating signed_body_url llmSchema ai_gateway_body_mapping
  storage_location size_bytes request_body_cut response_body_cut updated_at
`;

function inOrder<Shape extends object>(shape: Shape): Shape {
  const rank = new Map([...fieldOrder.matchAll(/\S+/g)].map(([name], index) => [name, index]));
  const rankOf = ([name]: [string, unknown]): number => rank.get(name) ?? rank.size;
  return Object.fromEntries(Object.entries(shape).toSorted((one, other) => rankOf(one) - rankOf(other))) as Shape;
}

const requestItemShape = z.strictObject(inOrder({ ...columnFields, ...ownFields }));

/**
 * One request. Every key is always present; null is "not known". TRICKY: zod treats a missing key as an unknown value, so by itself the
 * document would not require the bodies.
 */
export const requestItemSchema = requestItemShape.meta({
  id: 'RequestItem',
  description: 'One recorded request.',
  required: Object.keys(requestItemShape.shape),
});

export type RequestItem = z.infer<typeof requestItemSchema>;
