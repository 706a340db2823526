import { z } from 'zod';
import { keyPermissions } from '../model/principal.ts';

/** Maximum letters in a list and in a replay. */
const maxListed = 1000;
export const maxReplayed = 100;

const limitMessage = `\`limit\` takes a whole number from 1 to ${maxListed}.`;
const idsSentence = `\`ids\` takes 1 to ${maxReplayed} identifiers of dead letters, as the list shows them.`;

export const deadLetterListSchema = z.object({
  after: z.string().max(64, '`after` takes the `next` of the page before.').optional(),
  limit: z.coerce.number(limitMessage).int(limitMessage).min(1, limitMessage).max(maxListed, limitMessage).default(100),
  reason: z.string().max(1000, '`reason` takes at most 1,000 characters.').optional(),
});

export const deadLetterShowSchema = z.object({
  bodies: z.enum(['true', 'false'], '`bodies` takes true or false.').default('false'),
});

export const deadLetterReplaySchema = z.object({
  ids: z.array(z.string(), idsSentence).min(1, idsSentence).max(maxReplayed, idsSentence),
});

const headShape = {
  id: z.string(),
  at: z.string(),
  reason: z.string(),
  organization_id: z.string(),
  request_id: z.string(),
  /** ISO 8601; null when the letter lacks it. */
  requested_at: z.string().nullable(),
  bytes: z.number(),
};

export const deadLetterHeadSchema = z.object(headShape);
export type DeadLetterItem = z.infer<typeof deadLetterHeadSchema>;

export const deadLetterListAnswerSchema = z.object({
  letters: z.array(deadLetterHeadSchema),
  next: z.string().nullable(),
  total: z.number(),
});

/** A dead letter with its frames. `head` is the JSON of a frame; `body` its bytes, as text where they are text, null when not requested. */
export const deadLetterAnswerSchema = z.object({
  ...headShape,
  frames: z.array(
    z.object({
      kind: z.string(),
      stamp_ms: z.number(),
      bytes: z.number().nullable(),
      head: z.unknown(),
      body: z.string().nullable(),
      body_encoding: z.enum(['utf8', 'base64']).nullable(),
    }),
  ),
  changes: z.array(z.object({ kind: z.string(), key_id: z.string(), accepted_at: z.string(), names: z.array(z.string()) })),
});
export type DeadLetterAnswer = z.infer<typeof deadLetterAnswerSchema>;

export const deadLetterReplayAnswerSchema = z.array(
  z.object({ id: z.string(), outcome: z.enum(['stored', 'waiting', 'unknown', 'failed']), reason: z.string().optional() }),
);

export const snapshotSchema = z.object({ secrets: z.boolean('`secrets` takes true or false.') });

/** A snapshot; it ends with the connection of its request. */
export const snapshotAnswerSchema = z.object({
  folder: z.string(),
  snapshot: z.object({
    storeStep: z.number(),
    metadata: z.object({ steps: z.array(z.string()), secretsLeftOut: z.number() }),
    eventsSteps: z.array(z.string()),
    auditSteps: z.array(z.string()),
    rows: z.record(z.string(), z.number()),
    segments: z.record(z.string(), z.number()),
  }),
});

export const storePartSchema = z.object({
  table: z.string('`table` takes the name of a table.').max(64, '`table` takes the name of a table.'),
  part: z.string('`part` takes the name of a part.').max(200, '`part` takes the name of a part.'),
});

const toSentence = '`to` takes "embedded", or the address of ClickHouse servers as GATELOG_CLICKHOUSE_URL has it.';
const holdSentence = '`hold_ms` takes milliseconds, 1000 to 600000.';

export const storeCopySchema = z.object({
  to: z.string(toSentence).min(1, toSentence).max(10_000, toSentence),
  /** The records are there from then on. */
  switch: z.boolean('`switch` takes true or false.'),
  /** Milliseconds that changes wait at most. */
  hold_ms: z.number(holdSentence).int(holdSentence).min(1000, holdSentence).max(600_000, holdSentence),
});

export type StoreCopyOrder = z.infer<typeof storeCopySchema>;

/** What a copy of the store has come to. Times are ISO 8601. */
export const storeCopyAnswerSchema = z.object({
  state: z.enum(['none', 'copying', 'equal', 'moved', 'failed']),
  location: z.string().nullable(),
  /** Of `copying`: the number of the round, 0 for those while changes wait. */
  round: z.number().nullable(),
  /** Of `copying`: what this round has copied. */
  pieces: z.number().nullable(),
  /** Of `copying`: rows that this round has copied; of `equal` and `moved` requests. */
  rows: z.number().nullable(),
  table: z.string().nullable(),
  days: z.number().nullable(),
  /** Of `copying`: the time of the rows that are compared; of `equal` and `moved`: of which moment. */
  at: z.string().nullable(),
  reason: z.string().nullable(),
  /** Of `failed`. */
  may_try_again: z.boolean().nullable(),
});
/** Whether a copy ran. */
export const storeCopyStopSchema = z.object({ stopped: z.boolean() });

export type StoreCopyAnswer = z.infer<typeof storeCopyAnswerSchema>;

const storePartItemSchema = z.object({
  table: z.string(),
  part: z.string(),
  /** Null when unknown. */
  rows: z.number().nullable(),
});
export type StorePartItem = z.infer<typeof storePartItemSchema>;

/** The parts of the store, and parts that the engine failed to load at its start. */
export const storePartsAnswerSchema = z.object({ in_use: z.array(storePartItemSchema), lost: z.array(storePartItemSchema) });
export type StorePartsAnswer = z.infer<typeof storePartsAnswerSchema>;

/** The result of comparing a part's files with their checksums. */
export const storePartCheckAnswerSchema = z.object({ outcome: z.enum(['whole', 'gone', 'damaged']), reason: z.string().nullable() });
export type StorePartCheckAnswer = z.infer<typeof storePartCheckAnswerSchema>;

export const storePartAsideAnswerSchema = storePartItemSchema.extend({ folder: z.string() });
export type StorePartAsideAnswer = z.infer<typeof storePartAsideAnswerSchema>;

const contextSchema = z.array(z.object({ name: z.string(), value: z.string() })).optional();

const spanNodeSchema = z.object({
  context: contextSchema,
  spanId: z.string(),
  parentSpanId: z.string(),
  level: z.string(),
  sessionId: z.string(),
  sessionName: z.string(),
  userId: z.string(),
});

const placedRequestSchema = z.object({
  properties: z.array(z.string()).optional(),
  requestId: z.uuid(),
  spanId: z.string(),
  sessionId: z.string(),
  sessionPath: z.string(),
  isRooted: z.boolean(),
});

/** What a gateway worker tells of the spans that it took. */
export const notedSpansSchema = z.object({
  noted: z.array(
    z.object({
      owner: z.object({ organizationId: z.uuid(), keyId: z.string(), keyHash: z.string(), permissions: z.enum(keyPermissions) }),
      traces: z.array(z.object({ traceId: z.string(), nodes: z.array(spanNodeSchema), requests: z.array(placedRequestSchema) })),
    }),
  ),
});

const sourceSentence = '`source` says in 1 to 400 characters where the list comes from.';

export const priceImportSchema = z.object({
  /** In any of the forms that `readPriceList` knows. */
  list: z.unknown(),
  source: z.string(sourceSentence).min(1, sourceSentence).max(400, sourceSentence),
  zero_is_free: z.boolean().default(false),
  /** The imported prices are then those of this list alone. */
  replace: z.boolean().default(false),
  dry_run: z.boolean().default(false),
});

/** US dollars for a million of each kind. */
const ratesSchema = z.record(z.string(), z.number().optional());

const priceShape = {
  model: z.string(),
  /** The provider's name in the public list; null: whoever serves the model. */
  provider: z.string().nullable(),
  valid_from: z.string().nullable(),
  source: z.string(),
  rates: ratesSchema,
  above: z.array(z.object({ input_tokens: z.number(), rates: ratesSchema })),
  context_window: z.number().nullable(),
};

export const operatorPricesAnswerSchema = z.array(z.object(priceShape));
export type OperatorPriceItem = z.infer<typeof operatorPricesAnswerSchema>[number];

export const priceImportAnswerSchema = z.object({
  changes: z.array(z.object({ ...priceShape, before: ratesSchema.nullable() })),
  /** Prices that hold already. */
  same: z.number(),
  left_out: z.object({ zero: z.number(), provider: z.number(), unit: z.number() }),
  /** Imported prices afterwards. */
  total: z.number(),
});
export type PriceImportAnswer = z.infer<typeof priceImportAnswerSchema>;
