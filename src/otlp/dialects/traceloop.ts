import { readChoices, readMessages, readTools } from '../messages/read-messages.ts';
import { indexedList } from '../messages/indexed.ts';
import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { unpacked } from '../messages/chat-message.ts';
import { type Span, textAt } from '../received/span.ts';
import type { Conversation, Dialect, AttributeNames, Operation } from './dialect.ts';

const associations = 'traceloop.association.properties.';

/** What OpenLLMetry writes beside `gen_ai.*`: all of `llm.*` until it took the convention's names in March 2026. */
const attributeNames: AttributeNames = {
  provider: ['llm.vendor'],
  serverAddress: ['gen_ai.openai.api_base', 'llm.openai.api_base'],
  requestModel: ['llm.request.model'],
  responseModel: ['llm.response.model'],
  finishReason: ['llm.response.finish_reason', 'llm.response.stop_reason', 'gen_ai.response.stop_reason'],
  userId: [`${associations}user_id`, `${associations}userId`, 'llm.user'],
  sessionId: [`${associations}session_id`, `${associations}sessionId`, `${associations}chat_id`, `${associations}thread_id`],
  sessionName: ['traceloop.workflow.name'],
  promptId: ['traceloop.prompt.key'],
  promptVersion: ['traceloop.prompt.version'],
  toolName: ['traceloop.entity.name'],
  stepName: ['traceloop.entity.name'],
  inputTokens: ['llm.usage.prompt_tokens'],
  outputTokens: ['llm.usage.completion_tokens'],
  totalTokens: ['llm.usage.total_tokens'],
  cacheReadTokens: ['llm.usage.cache_read_input_tokens', 'llm.usage.cached_tokens'],
  cacheWriteTokens: ['llm.usage.cache_creation_input_tokens', 'llm.usage.cache_write_input_tokens'],
  reasoningTokens: ['llm.usage.reasoning_tokens'],
  temperature: ['llm.temperature', 'llm.request.temperature'],
  top_p: ['llm.top_p', 'llm.request.top_p'],
  top_k: ['llm.top_k'],
  max_tokens: ['llm.request.max_tokens'],
  frequency_penalty: ['llm.frequency_penalty'],
  presence_penalty: ['llm.presence_penalty'],
  stop: ['llm.chat.stop_sequences'],
  stream: ['llm.is_streaming'],
  reasoning_effort: ['llm.request.reasoning_effort'],
};

const requestTypes: ReadonlyMap<string, Operation> = new Map([
  ['chat', 'chat'],
  ['completion', 'completion'],
  ['embedding', 'embeddings'],
  ['rerank', 'rerank'],
]);

const spanKinds: ReadonlyMap<string, Operation> = new Map([
  ['workflow', 'level'],
  ['task', 'level'],
  ['agent', 'level'],
  ['tool', 'tool'],
]);

export const traceloop: Dialect = {
  name: 'Traceloop (OpenLLMetry)',
  source: 'traceloop/openllmetry packages/opentelemetry-semantic-conventions-ai; traceloop/openllmetry-js packages/ai-semantic-conventions',
  attributeNames,
  operationOf: ({ attributes }) =>
    requestTypes.get(textAt(attributes, ['llm.request.type'])) ??
    spanKinds.get(textAt(attributes, ['traceloop.span.kind'])) ??
    // A vector database: `db.operation` of an instrumentation whose names begin so.
    (attributes.has('db.vector.query.top_k') ? 'retrieval' : undefined),
  conversationOf,
  propertyPrefixes: [associations],
  propertyObjects: [],
  tagLists: [],
  namespaces: ['traceloop.', 'llm.', 'pinecone.', 'qdrant.'],
};

/** An instrumentation in JavaScript writes the completion of a text as `gen_ai.completion.0.content` too. */
function conversationOf({ attributes }: Span): Conversation {
  const prompt = indexedList(attributes, 'gen_ai.prompt') ?? messagesAt(attributes, 'llm.prompts');
  const completion = indexedList(attributes, 'gen_ai.completion') ?? messagesAt(attributes, 'llm.completions');
  const functions = indexedList(attributes, 'llm.request.functions') ?? indexedList(attributes, 'gen_ai.tool.definitions');
  return {
    messages: prompt === undefined ? undefined : readMessages(prompt.map(messageOf)),
    choices: completion === undefined ? undefined : readChoices(completion.map(messageOf), []),
    tools: functions === undefined ? undefined : readTools(functions),
    input: attributes.get('traceloop.entity.input'),
    output: attributes.get('traceloop.entity.output'),
  };
}

/** OpenInference has another list of the same name. */
function messagesAt(attributes: Span['attributes'], prefix: string): readonly JsonObject[] | undefined {
  const list = indexedList(attributes, prefix);
  return list?.some((message) => 'content' in message || 'role' in message) === true ? list : undefined;
}

/** A call of a function, before there were tools: `gen_ai.completion.0.function_call.name`. */
function messageOf(message: JsonObject): JsonObject {
  const called = unpacked(message['function_call']);
  return isJsonObject(called) ? { ...message, tool_calls: [called] } : message;
}
