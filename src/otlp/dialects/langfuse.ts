import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { countIn, type Usage } from '../facts/usage.ts';
import { unpacked } from '../messages/chat-message.ts';
import { readChoices, readMessages, readTools } from '../messages/read-messages.ts';
import { type Span, textAt } from '../span.ts';
import type { Conversation, Dialect, FactTable, Operation } from './dialect.ts';

const observation = 'langfuse.observation.';

const facts: FactTable = {
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

export const langfuse: Dialect = {
  name: 'Langfuse',
  source:
    'langfuse/langfuse-js packages/core/src/constants.ts, packages/tracing/src/attributes.ts; langfuse.com, "OpenTelemetry", "Property mapping"',
  facts,
  operationOf: ({ attributes }) => operations.get(textAt(attributes, [`${observation}type`]).toLowerCase()),
  conversationOf,
  usageOf,
  propertyPrefixes: ['langfuse.trace.metadata.', `${observation}metadata.`, 'langfuse.metadata.'],
  propertyObjects: ['langfuse.trace.metadata', `${observation}metadata`, 'langfuse.metadata'],
  tagLists: ['langfuse.trace.tags', 'langfuse.tags'],
  namespaces: ['langfuse.'],
};

/** Parameters lie in one object, in the provider's own names. */
export function modelParameters({ attributes }: Span): JsonObject {
  const parameters = unpacked(attributes.get(`${observation}model.parameters`));
  return isJsonObject(parameters) ? parameters : {};
}

/** Input and output are whatever the caller gave: messages, a request with messages, or any value. */
function conversationOf({ attributes }: Span): Conversation {
  const input = unpacked(attributes.get(`${observation}input`));
  const output = unpacked(attributes.get(`${observation}output`));
  const request = isJsonObject(input) ? input : {};
  const messages = Array.isArray(input) ? input : (request['messages'] ?? request['input'] ?? input);
  const tools = request['tools'];
  return {
    messages: input === undefined ? undefined : readMessages(messages),
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
  if (isAnthropic(details)) return { anthropic: details };
  const prompt = isJsonObject(details['prompt_tokens_details']) ? details['prompt_tokens_details'] : {};
  const completion = isJsonObject(details['completion_tokens_details']) ? details['completion_tokens_details'] : {};
  if (countIn(details['prompt_tokens']) !== undefined) {
    return {
      inputTokens: countIn(details['prompt_tokens']),
      outputTokens: countIn(details['completion_tokens']),
      cacheReadTokens: countIn(prompt['cached_tokens']),
      reasoningTokens: countIn(completion['reasoning_tokens']),
    };
  }
  return ofKinds(details);
}

function isAnthropic(details: JsonObject): boolean {
  return 'cache_read_input_tokens' in details && 'input_tokens' in details;
}

const cacheReads = ['input_cached_tokens', 'input_cache_read', 'cache_read_input_tokens', 'input_cached'] as const;
const cacheWrites = [
  'input_cache_creation',
  'cache_creation_input_tokens',
  'input_cache_write',
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
  if (typeof total === 'number') return total;
  const costs = Object.values(parts).filter((cost) => typeof cost === 'number');
  return costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0);
}
