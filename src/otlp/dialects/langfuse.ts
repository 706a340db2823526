import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { digitsOf, isMarkedNumber } from '../../model/json/exact-numbers.ts';
import { countIn, isAnthropicUsage, type Usage } from './usage.ts';
import { unpacked } from '../messages/chat-message.ts';
import { readChoices, readMessages, readSystemInstructions, readTools } from '../messages/read-messages.ts';
import { type Span, textAt } from '../received/span.ts';
import type { Conversation, Dialect, AttributeNames, Operation } from './dialect.ts';

const observation = 'langfuse.observation.';

const attributeNames: AttributeNames = {
  requestModel: [`${observation}model.name`],
  userId: ['langfuse.user.id', `${observation}metadata.langfuse_user_id`, 'langfuse.trace.metadata.langfuse_user_id'],
  sessionId: ['langfuse.session.id', `${observation}metadata.langfuse_session_id`, 'langfuse.trace.metadata.langfuse_session_id'],
  sessionName: ['langfuse.trace.name'],
  promptId: [`${observation}prompt.name`, 'langfuse.prompt.name'],
  promptVersion: [`${observation}prompt.version`, 'langfuse.prompt.version'],
  experimentId: ['langfuse.experiment.id'],
  errorMessage: [`${observation}status_message`],
  severity: [`${observation}level`],
};

/** `langfuse.observation.type`; a `span` says nothing of what it holds. */
const operations: ReadonlyMap<string, Operation> = new Map([
  ['generation', 'chat'],
  ['embedding', 'embeddings'],
  ['tool', 'tool'],
  ['retriever', 'retrieval'],
  ['agent', 'level'],
  ['chain', 'level'],
  ['guardrail', 'level'],
  ['evaluator', 'level'],
]);

/** Models whose name says that they make vectors: `text-embedding-3-small`, `mistral-embed`. */
const embedders = /(?:^|[^a-z])embed/i;

/** Where its wrapper of OpenAI's client puts what a reply of the Responses repeats of its request. */
const repeated = {
  instructions: `${observation}metadata.instructions`,
  tools: `${observation}metadata.tools`,
  reasoning: `${observation}metadata.reasoning`,
  previous: `${observation}metadata.previous_response_id`,
  incomplete: `${observation}metadata.incomplete_details`,
} as const;

export const langfuse: Dialect = {
  name: 'Langfuse',
  source:
    'langfuse/langfuse-js packages/core/src/constants.ts, packages/tracing/src/attributes.ts; langfuse.com, "OpenTelemetry", "Property mapping"',
  attributeNames,
  operationOf: ({ attributes }) => {
    const operation = operations.get(textAt(attributes, [`${observation}type`]).toLowerCase());
    // Its wrapper of OpenAI's client calls an embedding a generation too.
    return operation === 'chat' && embedders.test(textAt(attributes, [`${observation}model.name`])) ? 'embeddings' : operation;
  },
  conversationOf,
  usageOf,
  propertyPrefixes: ['langfuse.trace.metadata.', `${observation}metadata.`, 'langfuse.metadata.'],
  propertyObjects: ['langfuse.trace.metadata', `${observation}metadata`, 'langfuse.metadata'],
  tagLists: ['langfuse.trace.tags', 'langfuse.tags'],
  partsOfRequest: Object.values(repeated),
  namespaces: ['langfuse.'],
};

/** Parameters lie in one object, in the provider's own names. */
export function modelParameters({ attributes }: Span): JsonObject {
  const parameters = unpacked(attributes.get(`${observation}model.parameters`));
  const reasoning = unpacked(attributes.get(repeated.reasoning));
  const previous = textAt(attributes, [repeated.previous]);
  return {
    ...objectOf(parameters),
    ...(reasoning === undefined || reasoning === '' ? {} : { reasoning }),
    ...(previous === '' ? {} : { previous_response_id: previous }),
  };
}

/** Input and output are whatever the caller gave: messages, a request with messages, or any value. */
function conversationOf({ attributes }: Span): Conversation {
  const input = unpacked(attributes.get(`${observation}input`));
  const output = unpacked(attributes.get(`${observation}output`));
  const request = isJsonObject(input) ? input : {};
  const messages = Array.isArray(input) ? input : (request['messages'] ?? request['input'] ?? input);
  const tools = request['tools'] ?? unpacked(attributes.get(repeated.tools));
  const instructions = readSystemInstructions(request['instructions'] ?? attributes.get(repeated.instructions));
  return {
    messages: input === undefined ? undefined : [...instructions, ...readMessages(messages)],
    choices: output === undefined ? undefined : readChoices(output, []),
    tools: Array.isArray(tools) ? readTools(tools) : undefined,
    input,
    output,
  };
}

/**
 * `usage_details` holds counts under any name. Langfuse adds them up: `input` is what was no other kind of input. Callers also give a
 * provider's own usage object.
 */
function usageOf({ attributes }: Span): Usage | undefined {
  const details = unpacked(attributes.get(`${observation}usage_details`));
  if (!isJsonObject(details)) return undefined;
  if (isAnthropicUsage(details)) return { anthropic: details };
  return openAiUsage(details, ['prompt_tokens', 'completion_tokens']) ?? responsesUsage(details) ?? ofKinds(details);
}

/** Of OpenAI's Responses; without details it is no other than kinds. */
function responsesUsage(details: JsonObject): Usage | undefined {
  return isJsonObject(details['input_tokens_details']) ? openAiUsage(details, ['input_tokens', 'output_tokens']) : undefined;
}

function openAiUsage(details: JsonObject, [input, output]: readonly [input: string, output: string]): Usage | undefined {
  const inputTokens = countIn(details[input]);
  if (inputTokens === undefined) return undefined;
  const prompt = objectOf(details[`${input}_details`]);
  return {
    inputTokens,
    outputTokens: countIn(details[output]),
    cacheReadTokens: countIn(prompt['cached_tokens']),
    cacheWriteTokens: countIn(prompt['cache_write_tokens'] ?? prompt['cache_creation_tokens']),
    reasoningTokens: countIn(objectOf(details[`${output}_details`])['reasoning_tokens']),
  };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

const cacheReads = [
  'input_cached_tokens',
  'input_cache_read',
  'input_cache_read_tokens',
  'cache_read_input_tokens',
  'cache_read_tokens',
  'cached_tokens',
  'input_cached',
] as const;
const cacheWrites = [
  'input_cache_creation',
  'input_cache_creation_tokens',
  'cache_creation_input_tokens',
  'cache_creation_tokens',
  'cache_write_tokens',
  'input_cache_write',
  'input_cache_write_tokens',
  'input_cache_creation_5m',
  'input_cache_creation_1h',
] as const;
const reasonings = ['output_reasoning_tokens', 'output_reasoning', 'reasoning_tokens'] as const;

function ofKinds(details: JsonObject): Usage {
  const sumOf = (names: readonly string[]): number | undefined => {
    const counts = names.map((name) => countIn(details[name])).filter((count) => count !== undefined);
    return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
  };
  const input = countIn(details['input'] ?? details['input_tokens']);
  const output = countIn(details['output'] ?? details['output_tokens']);
  const partsOfInput = sumOf(kindsOf(details, 'input_', cacheReads, cacheWrites));
  const partsOfOutput = sumOf(kindsOf(details, 'output_', reasonings));
  const usage = {
    cacheReadTokens: sumOf(cacheReads),
    cacheWriteTokens: sumOf(cacheWrites),
    reasoningTokens: sumOf(reasonings),
    inputAudioTokens: sumOf(['input_audio_tokens']),
    outputAudioTokens: sumOf(['output_audio_tokens']),
  };
  // A total that is the sum of input and output alone shows that the parts are inside these.
  const isInside = countIn(details['total']) === (input ?? 0) + (output ?? 0);
  if (isInside) return { ...usage, inputTokens: input, outputTokens: output };
  return { ...usage, inputTokens: plus(input, partsOfInput), outputTokens: plus(output, partsOfOutput) };
}

function kindsOf(details: JsonObject, prefix: string, ...known: readonly (readonly string[])[]): readonly string[] {
  return Object.keys(details).filter((name) => (name.startsWith(prefix) && name !== `${prefix}tokens`) || known.flat().includes(name));
}

function plus(count: number | undefined, more: number | undefined): number | undefined {
  return count === undefined && more === undefined ? undefined : (count ?? 0) + (more ?? 0);
}

/** The cost in US dollars that the caller gave. */
export function statedCost({ attributes }: Span): number | undefined {
  const details = unpacked(attributes.get(`${observation}cost_details`));
  if (!isJsonObject(details)) return undefined;
  const { total, ...parts } = details;
  const stated = costIn(total);
  if (stated !== undefined) return stated;
  const costs = Object.values(parts)
    .map(costIn)
    .filter((cost) => cost !== undefined);
  return costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0);
}

function costIn(value: unknown): number | undefined {
  if (isMarkedNumber(value)) return Number(digitsOf(value));
  return typeof value === 'number' ? value : undefined;
}
