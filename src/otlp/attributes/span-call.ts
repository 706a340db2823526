import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { dialects } from '../dialects/all.ts';
import type { Conversation, Dialect, NumberField, Operation, ParameterField, TextField } from '../dialects/dialect.ts';
import { modelParameters, statedCost } from '../dialects/langfuse.ts';
import { invocationParameters } from '../dialects/open-inference.ts';
import { unpacked } from '../messages/chat-message.ts';
import { langChainReply } from '../messages/lang-chain.ts';
import { asOneReply } from '../messages/one-reply.ts';
import { readTexts } from '../messages/read-messages.ts';
import { type Attributes, numberAt, type Span, statusCodes, textAt } from '../received/span.ts';
import { hostOf, providerOf } from './provider.ts';
import { serviceTierOf } from './service-tier.ts';
import { countIn, type Usage, withCachedInput } from '../dialects/usage.ts';

/** What a span tells of the call, whichever dialects it speaks. An empty text is an absent one. */
export interface SpanCall {
  readonly operation: Operation;
  readonly texts: Readonly<Record<TextField, string>>;
  /** Registry name. */
  readonly provider: string;
  readonly address: string;
  readonly finishReasons: readonly string[];
  readonly parameters: JsonObject;
  readonly usage: Usage;
  readonly conversation: Conversation;
  readonly firstTokenMs: number | undefined;
  /** Of HTTP. */
  readonly statusCode: number | undefined;
  readonly hasFailed: boolean;
  readonly costUsd: number | undefined;
}

/** The first operation that a dialect tells; undefined: the span is none of a model's or a tool's. */
export function operationOf(span: Span): Operation | undefined {
  for (const { operationOf: tell } of dialects) {
    const operation = tell(span);
    if (operation !== undefined) return operation;
  }
  return undefined;
}

export function readSpanCall(span: Span, operation: Operation): SpanCall {
  const { attributes } = span;
  const firstTokenMs = firstTokenOf(span);
  const told = Object.fromEntries(textFields.map((field) => [field, textField(attributes, field)])) as Record<TextField, string>;
  const packed = packedParameters(span);
  const parameters = parametersOf(attributes, packed);
  const { conversation, kept } = withKept(conversationOf(span, hasSeveral(span, parameters)));
  const requestModel = told.requestModel || asName(packed['model']) || told.responseModel;
  const error = errorOf(span, told);
  const texts = {
    ...told,
    ...error,
    requestModel,
    responseModel: kept.model || told.responseModel,
    responseId: told.responseId || kept.responseId,
    serviceTier: serviceTierOf(span, told, { packed, output: conversation.output }),
    toolName: told.toolName || (operation === 'tool' ? toolNameOf(span) : ''),
  };
  const hasFailed = span.status.code === statusCodes.error || told.severity.toUpperCase() === 'ERROR';
  const host = hostOf(texts.serverAddress);
  return {
    operation,
    texts,
    provider: providerOf(texts.provider, host, requestModel),
    address: addressOf(texts.serverAddress, numberField(attributes, 'serverPort')),
    finishReasons: finishReasonsOf(attributes, texts.finishReason),
    // Only a stream has a first part.
    parameters: { ...(firstTokenMs === undefined ? {} : { stream: true }), ...parameters },
    usage: usageOf(span),
    conversation,
    firstTokenMs,
    statusCode:
      codeOf(String(numberField(attributes, 'statusCode'))) ??
      codeOf(texts.errorType) ??
      (hasFailed ? codeIn(texts.errorMessage) : undefined),
    hasFailed,
    costUsd: numberField(attributes, 'costUsd') ?? (hasFailed ? undefined : statedCost(span)),
  };
}

const textFields: readonly TextField[] = [
  ...(['provider', 'serverAddress', 'requestModel', 'responseModel', 'responseId', 'finishReason', 'serviceTier', 'userId'] as const),
  'requestedTier',
  ...(['sessionId', 'sessionName', 'sessionPath', 'promptId', 'promptVersion', 'experimentId', 'toolName', 'toolCallId'] as const),
  ...(['errorType', 'errorMessage', 'severity', 'stepName'] as const),
];

/** Names of attributes for a field over all dialects, by precedence. */
const namesByField = new Map<string, readonly string[]>();

function namesOf(field: TextField | NumberField | ParameterField): readonly string[] {
  const known = namesByField.get(field);
  if (known !== undefined) return known;
  const names = dialects.flatMap(({ attributeNames }) => attributeNames[field] ?? []);
  namesByField.set(field, names);
  return names;
}

export function textField(attributes: Attributes, field: TextField): string {
  return textAt(attributes, namesOf(field));
}

function numberField(attributes: Attributes, field: NumberField): number | undefined {
  return numberAt(attributes, namesOf(field));
}

const addressShape = /^https?:\/\//;

function addressOf(server: string, port: number | undefined): string {
  if (server === '' || addressShape.test(server)) return server;
  return `https://${server}${port === undefined || port === httpsPort ? '' : `:${port}`}`;
}

const httpsPort = 443;

function finishReasonsOf(attributes: Attributes, only: string): readonly string[] {
  const told = readTexts(attributes.get('gen_ai.response.finish_reasons'));
  return told.length === 0 && only !== '' ? [only] : told;
}

const numericParameters: readonly ParameterField[] = [
  ...(['temperature', 'top_p', 'top_k', 'max_tokens', 'frequency_penalty', 'presence_penalty', 'seed', 'n', 'dimensions'] as const),
];
const otherParameters: readonly ParameterField[] = ['stop', 'stream', 'tool_choice', 'reasoning_effort', 'size', 'quality', 'voice'];

/** Members that an object of parameters may repeat although they are no parameters. */
const noParameters: ReadonlySet<string> = new Set([
  'messages',
  'system',
  'input',
  'prompt',
  'tools',
  'model',
  'headers',
  'api_key',
  'apiKey',
]);

/** Parameters that lie in one object, in the provider's own names. */
function packedParameters(span: Span): JsonObject {
  return { ...invocationParameters(span.attributes), ...modelParameters(span) };
}

function asName(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Where no attribute names a tool, its span does, as Langfuse's observations and `execute_tool <name>`. */
function toolNameOf({ name }: Span): string {
  return name.replace(/^execute_tool /, '');
}

interface Kept {
  readonly conversation: Conversation;
  readonly kept: { readonly responseId: string; readonly model: string };
}

/** What the output holds beside the texts. LangChain's callbacks know the model that was asked for alone, and its result all. */
function withKept(conversation: Conversation): Kept {
  const reply = langChainReply(conversation.output);
  if (reply === undefined) return { conversation, kept: { responseId: responseIdIn(conversation.output), model: '' } };
  return { conversation: saysSomething(conversation) ? conversation : { ...conversation, choices: reply.choices }, kept: reply };
}

function saysSomething({ choices = [] }: Conversation): boolean {
  return choices.some(({ message: { content, tool_calls: calls } }) => calls !== undefined || (content !== null && content.length > 0));
}

/** Where the responses of providers have their content, beside the identifier. */
const contentsOfResponses = ['choices', 'content', 'output', 'candidates'] as const;

/** Some instrumentations keep the whole response of the provider as the output. */
function responseIdIn(output: unknown): string {
  const response = unpacked(output);
  const isResponse = isJsonObject(response) && contentsOfResponses.some((name) => Array.isArray(response[name]));
  return isResponse ? asName(response['id']) || asName(response['responseId']) : '';
}

function parametersOf(attributes: Attributes, told: JsonObject): JsonObject {
  const packed = Object.entries(told).filter(([name, value]) => !noParameters.has(name) && value !== null && value !== '');
  const numbers = numericParameters.map((name) => [name, numberAt(attributes, namesOf(name))] as const);
  const others = otherParameters.map((name) => [name, firstValue(attributes, namesOf(name))] as const);
  return Object.fromEntries([...packed, ...[...numbers, ...others].filter(([, value]) => value !== undefined)]);
}

function firstValue(attributes: Attributes, names: readonly string[]): unknown {
  const name = names.find((each) => attributes.has(each));
  return name === undefined ? undefined : attributes.get(name);
}

const counts = [
  ...(['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'reasoningTokens'] as const),
  ...(['inputAudioTokens', 'outputAudioTokens', 'inputImageTokens', 'outputImageTokens'] as const),
] as const satisfies readonly (NumberField & keyof Usage)[];

/** Counts from attributes, and over them what a dialect tells in its own way. */
function usageOf(span: Span): Usage {
  const told = counts.map((count) => [count, countIn(numberField(span.attributes, count))] as const);
  const counted: Usage = Object.fromEntries(told.filter(([, count]) => count !== undefined));
  const own = dialects.map(({ usageOf: tell }) => tell?.(span)).find((usage) => usage !== undefined) ?? {};
  const said = Object.entries(own).filter(([, count]) => count !== undefined);
  return withCachedInput({ ...counted, ...(Object.fromEntries(said) as Usage) });
}

/** Whether the call asked for several choices, or several ended. */
function hasSeveral({ attributes }: Span, { n }: JsonObject): boolean {
  return Number(n ?? 1) > 1 || readTexts(attributes.get('gen_ai.response.finish_reasons')).length > 1;
}

/** Each part from the first dialect that tells it. */
function conversationOf(span: Span, several: boolean): Conversation {
  const told = dialects.map((dialect: Dialect) => dialect.conversationOf(span));
  const choices = told.find((each) => each.choices !== undefined)?.choices;
  return {
    messages: told.find(({ messages }) => messages !== undefined)?.messages,
    choices: choices === undefined ? undefined : asOneReply(choices, several),
    tools: told.find(({ tools }) => tools !== undefined)?.tools,
    input: told.find(({ input }) => input !== undefined && input !== null)?.input,
    output: told.find(({ output }) => output !== undefined && output !== null)?.output,
  };
}

/** Events that mark the first part of a response. */
const firstParts: ReadonlySet<string> = new Set(['ai.stream.firstChunk', 'First Token Stream Event', 'gen_ai.content.completion.chunk']);
const millisecondsPerSecond = 1000;
/**
 * Some senders read the clock before they start the span (Anthropic's SDK), and some tell whole milliseconds. What is further out has
 * another unit.
 */
const clockGapMs = 1000;

function firstTokenOf({ attributes, events, startMs, endMs }: Span): number | undefined {
  const seconds = numberField(attributes, 'firstTokenSeconds');
  const started = Date.parse(
    textAt(attributes, ['langfuse.observation.completion_start_time', 'mastra.completion_start_time']).replaceAll('"', ''),
  );
  const first = events.find(({ name, atMs }) => firstParts.has(name) && atMs > 0);
  const candidates = [
    numberField(attributes, 'firstTokenMs'),
    seconds === undefined ? undefined : seconds * millisecondsPerSecond,
    Number.isNaN(started) ? undefined : started - startMs,
    first === undefined ? undefined : first.atMs - startMs,
  ];
  const elapsedMs = endMs - startMs;
  const told = candidates.find((ms) => ms !== undefined && ms >= -1 && ms <= elapsedMs + clockGapMs);
  return told === undefined ? undefined : Math.max(0, Math.round(Math.min(told, elapsedMs)));
}

function errorOf(
  { status, events }: Span,
  told: Readonly<Record<TextField, string>>,
): Pick<SpanCall['texts'], 'errorType' | 'errorMessage'> {
  const exception = events.find(({ name }) => name === 'exception')?.attributes ?? new Map<string, never>();
  return {
    errorType: told.errorType || textAt(exception, ['exception.type']),
    errorMessage: told.errorMessage || status.message || textAt(exception, ['exception.message']),
  };
}

/** The clients of OpenAI and Anthropic begin the message of an error with its status: `404 The model does not exist`. */
function codeIn(message: string): number | undefined {
  return codeOf(/^(?:\w*Error: )?([45]\d\d) /.exec(message)?.[1] ?? '');
}

/** A status of HTTP; `error.type` is one too where there was a response. */
function codeOf(told: string): number | undefined {
  return /^[1-5]\d\d$/.test(told) ? Number(told) : undefined;
}
