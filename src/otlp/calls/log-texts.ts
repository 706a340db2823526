import type { Tags } from '../../model/record/exchange.ts';
import type { LoggedCall } from '../../model/record/logged-call.ts';
import { writeExactly } from '../../model/json/exact-numbers.ts';
import type { JsonObject } from '../../model/text.ts';
import { genAi, isDetailsEvent } from '../dialects/gen-ai.ts';
import { unknownProvider } from '../attributes/provider.ts';
import type { Conversation } from '../dialects/dialect.ts';
import type { LogRecord } from '../received/log-record.ts';
import type { ChatChoice, ChatMessage } from '../messages/chat-message.ts';
import { type Attributes, type AttributeValue, type Span, spanKinds, type SpanEvent, statusCodes, textAt } from '../received/span.ts';
import type { IdentifySpan } from './logged-span.ts';

/** Identifies the texts of a span in one request: the same for a repetition. */
export type IdentifyTexts = (
  texts: Parameters<IdentifySpan>[0] & { readonly content: readonly Uint8Array[] },
) => NonNullable<LoggedCall['requestId']>;

export interface TextsOfLogs {
  /** One for each span: texts that wait for its request, and no call. */
  readonly calls: readonly LoggedCall[];
  /** Records that tell nothing of what a call of a model said. */
  readonly others: number;
}

export interface TextsRequest {
  readonly records: readonly LogRecord[];
  /** Of the request's own headers: what they leave out of records is left out of these texts. */
  readonly defaults: Tags;
  /** Unix milliseconds. */
  readonly now: number;
}

const traceIdShape = /^(?!0{32})[0-9a-f]{32}$/;
const spanIdShape = /^(?!0{16})[0-9a-f]{16}$/;
const earliestMs = Date.UTC(2015, 0, 1);
const dayMs = 86_400_000;
const nanosecondsPerMs = 1e6;

/** What log records tell of the texts of spans, each span's in the order of their time. */
export function textsOfLogs({ records, defaults, now }: TextsRequest, identify: IdentifyTexts): TextsOfLogs {
  const bySpan = new Map<string, LogRecord[]>();
  let others = 0;
  for (const record of records) {
    const isOfSpan = traceIdShape.test(record.traceId) && spanIdShape.test(record.spanId);
    if (!isOfSpan || !nameOf(record).startsWith('gen_ai.')) {
      others += 1;
      continue;
    }
    const key = `${record.traceId}:${record.spanId}`;
    const own = bySpan.get(key);
    if (own === undefined) bySpan.set(key, [record]);
    else own.push(record);
  }
  const calls: LoggedCall[] = [];
  for (const own of bySpan.values()) {
    const call = callOf(own, { defaults, now }, identify);
    if (call === undefined) others += own.length;
    else calls.push(call);
  }
  return { calls, others };
}

function nameOf({ eventName, attributes }: LogRecord): string {
  return eventName || textAt(attributes, ['event.name']);
}

function callOf(
  records: readonly LogRecord[],
  { defaults, now }: Pick<TextsRequest, 'defaults' | 'now'>,
  identify: IdentifyTexts,
): LoggedCall | undefined {
  const ordered = records.toSorted((one, other) => one.atMs - other.atMs);
  const [first] = ordered;
  if (first === undefined) return undefined;
  const { traceId, spanId } = first;
  const conversation = genAi.conversationOf(spanOf(ordered));
  const [request, response] = [requestOf(conversation), responseOf(conversation)];
  if (request === undefined && response === undefined) return undefined;
  const isTimed = first.atMs >= earliestMs && first.atMs <= now + dayMs;
  const startedAt = isTimed ? Math.floor(first.atMs) : now;
  const nanoseconds = isTimed ? Math.round((first.atMs - startedAt) * nanosecondsPerMs) : 0;
  const [requestBody, responseBody] = [bytesOf(request), bytesOf(response)];
  return {
    requestId: identify({ traceId, spanId, startMs: startedAt, content: [requestBody, responseBody] }),
    startedAt,
    elapsedMs: 0,
    firstTokenMs: undefined,
    method: 'POST',
    path: '/v1/chat/completions',
    provider: unknownProvider,
    targetUrl: '',
    model: undefined,
    requestHeaders: jsonHeaders,
    tags: defaults,
    trace: { traceId, spanId },
    span: { ...noFields, traceId, ids: [spanId], endedAt: startedAt, textsAlone: nanoseconds },
    requestBody,
    response: { status: 200, headers: jsonHeaders, body: responseBody },
  };
}

function bytesOf(body: JsonObject | undefined): Uint8Array {
  return Buffer.from(body === undefined ? '' : writeExactly(body));
}

const jsonHeaders = { 'content-type': 'application/json' } as const;
const noFields = {
  parentIds: [],
  carrierIds: [],
  scopes: [],
  provider: unknownProvider,
  models: [],
  responseId: '',
  hasTexts: true,
  usage: 0,
} as const;

/** Records are what the convention had as events of the span. */
function spanOf(records: readonly LogRecord[]): Span {
  return {
    traceId: '',
    spanId: '',
    parentSpanId: '',
    name: '',
    kind: spanKinds.client,
    startMs: 0,
    endMs: 0,
    attributes: new Map(),
    events: records.map(eventOf),
    status: { code: statusCodes.unset, message: '' },
    resource: new Map(),
    scope: { name: '', version: '' },
  };
}

function eventOf(record: LogRecord): SpanEvent {
  const name = nameOf(record);
  return { name, atMs: record.atMs, attributes: isDetailsEvent(name) ? withMembers(record) : withBody(record) };
}

/** Some write the details into the body. */
function withMembers({ attributes, body }: LogRecord): Attributes {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return attributes;
  return new Map([...Object.entries(body as Readonly<Record<string, AttributeValue>>), ...attributes]);
}

function withBody({ attributes, body }: LogRecord): Attributes {
  if (body === null) return attributes;
  const isMessage = typeof body === 'object' || (typeof body === 'string' && /^\s*[[{]/.test(body));
  return new Map([...attributes, isMessage ? ['event.body', body] : ['content', body]]);
}

function requestOf({ messages = [], tools = [] }: Conversation): JsonObject | undefined {
  const said = messages.filter(saysSomething);
  if (said.length === 0 && tools.length === 0) return undefined;
  return { messages: said, ...(tools.length === 0 ? {} : { tools }) };
}

/** Counts of zero: nothing is to be estimated of texts alone. */
const noUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } as const;

function responseOf({ choices = [] }: Conversation): JsonObject | undefined {
  const said = choices.filter(({ message }: ChatChoice) => saysSomething(message));
  if (said.length === 0) return undefined;
  return {
    choices: said.map(({ message, finishReason }, index) => ({ index, message, finish_reason: finishReason || null })),
    usage: noUsage,
  };
}

/** Where contents are not to be captured, records come all the same and hold none. */
function saysSomething({ content, reasoning_content: reasoning = '', tool_calls: calls = [] }: ChatMessage): boolean {
  return (content !== null && content.length > 0) || reasoning !== '' || calls.length > 0;
}
