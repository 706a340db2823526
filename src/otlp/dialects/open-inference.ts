import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { isAnthropicUsage, type Usage } from './usage.ts';
import { type ChatMessage, unpacked } from '../messages/chat-message.ts';
import { indexedList } from '../messages/indexed.ts';
import { readChoices, readMessages, readSystemInstructions, readTools } from '../messages/read-messages.ts';
import { type Attributes, type Span, textAt } from '../received/span.ts';
import type { Conversation, Dialect, AttributeNames, Operation } from './dialect.ts';

const attributeNames: AttributeNames = {
  provider: ['llm.provider', 'llm.system', 'embedding.provider'],
  requestModel: ['llm.request.model_name', 'embedding.model_name', 'reranker.model_name'],
  responseModel: ['llm.response.model_name', 'llm.model_name'],
  finishReason: ['llm.finish_reason'],
  userId: ['user.id'],
  sessionId: ['session.id'],
  promptId: ['prompt.id'],
  promptVersion: ['llm.prompt_template.version'],
  toolName: ['tool.name'],
  toolCallId: ['tool.id'],
  stepName: ['agent.name', 'graph.node.name'],
  inputTokens: ['llm.token_count.prompt'],
  outputTokens: ['llm.token_count.completion'],
  totalTokens: ['llm.token_count.total'],
  cacheReadTokens: ['llm.token_count.prompt_details.cache_read', 'llm.token_count.prompt_details.cache_input'],
  cacheWriteTokens: ['llm.token_count.prompt_details.cache_write', 'llm.token_count.prompt_details.cache_creation'],
  reasoningTokens: ['llm.token_count.completion_details.reasoning'],
  inputAudioTokens: ['llm.token_count.prompt_details.audio'],
  outputAudioTokens: ['llm.token_count.completion_details.audio'],
};

const operations: ReadonlyMap<string, Operation> = new Map([
  ['LLM', 'chat'],
  ['EMBEDDING', 'embeddings'],
  ['RERANKER', 'rerank'],
  ['TOOL', 'tool'],
  ['RETRIEVER', 'retrieval'],
  ['CHAIN', 'level'],
  ['AGENT', 'level'],
  ['GUARDRAIL', 'level'],
  ['EVALUATOR', 'level'],
  ['PROMPT', 'level'],
]);

export const openInference: Dialect = {
  name: 'OpenInference',
  source: 'Arize-ai/openinference spec/semantic_conventions.md, spec/llm_spans.md',
  attributeNames,
  operationOf: ({ attributes }) => {
    const kind = textAt(attributes, ['openinference.span.kind']).toUpperCase();
    const operation = operations.get(kind);
    return operation === 'chat' && attributes.has('llm.prompts.0.prompt.text') ? 'completion' : operation;
  },
  conversationOf,
  usageOf,
  propertyPrefixes: ['metadata.'],
  propertyObjects: ['metadata'],
  tagLists: ['tag.tags'],
  namespaces: [
    'openinference.',
    'llm.',
    'input.',
    'output.',
    'embedding.',
    'reranker.',
    'retrieval.',
    'document.',
    'tool.',
    'message.',
    'tag.',
    'session.',
    'user.',
    'agent.',
    'graph.',
    'prompt.',
    'image.',
    'audio.',
    'annotation',
    'evaluation',
    'trace.',
  ],
};

/** Parameters lie in one object, in the provider's own names. */
export function invocationParameters(attributes: Attributes): JsonObject {
  const parameters = unpacked(textAt(attributes, ['llm.invocation_parameters', 'embedding.invocation_parameters']));
  return isJsonObject(parameters) ? parameters : {};
}

function conversationOf({ attributes }: Span): Conversation {
  const input = indexedList(attributes, 'llm.input_messages')?.map(messageOf);
  const output = indexedList(attributes, 'llm.output_messages')?.map(messageOf);
  const tools = indexedList(attributes, 'llm.tools')?.map(toolOf);
  const prompts = textsOf(indexedList(attributes, 'llm.prompts'), 'prompt');
  const completions = textsOf(indexedList(attributes, 'llm.choices'), 'completion');
  const embedded = textsOf(indexedList(attributes, 'embedding.embeddings'), 'embedding');
  const finishReason = textAt(attributes, ['llm.finish_reason']);
  return {
    messages: input === undefined ? undefined : [...instructions(attributes), ...readMessages(input)],
    choices: output === undefined ? undefined : readChoices(output, [finishReason]),
    tools: tools === undefined ? undefined : readTools(tools),
    input: prompts ?? embedded ?? attributes.get('reranker.query') ?? attributes.get('input.value'),
    output: completions ?? indexedList(attributes, 'retrieval.documents') ?? attributes.get('output.value'),
  };
}

/** Instructions that lie beside the messages, as in Anthropic's requests: some instrumentations take them for a parameter. */
function instructions(attributes: Attributes): readonly ChatMessage[] {
  return readSystemInstructions(invocationParameters(attributes)['system']);
}

/** Some instrumentations keep the whole response of the provider; Anthropic's usage tells there how long cache writes live. */
function usageOf({ attributes }: Span): Usage | undefined {
  const response = unpacked(attributes.get('output.value'));
  const usage = isJsonObject(response) ? response['usage'] : undefined;
  return isJsonObject(usage) && isAnthropicUsage(usage) ? { anthropic: usage } : undefined;
}

/** Every object of a list has one member, which holds the rest: `{message: {role, …}}`. */
function inner(object: JsonObject, name: string): JsonObject {
  const member = object[name];
  return isJsonObject(member) ? member : object;
}

function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function messageOf(object: JsonObject): JsonObject {
  const message = inner(object, 'message');
  const contents = objectsOf(message['contents']).map((each) => partOf(inner(each, 'message_content')));
  const toolCalls = objectsOf(message['tool_calls']).map((each) => inner(each, 'tool_call'));
  const legacy = message['function_call_name'];
  const calls = typeof legacy === 'string' ? [{ name: legacy, arguments: message['function_call_arguments_json'] }] : toolCalls;
  return { ...message, ...(contents.length === 0 ? {} : { content: contents }), tool_calls: calls };
}

function partOf(part: JsonObject): JsonObject {
  const { type, image } = part;
  if (type !== 'image' || !isJsonObject(image)) return part;
  const url = inner(image, 'image')['url'];
  return { type: 'image_url', image_url: { url } };
}

function toolOf(object: JsonObject): JsonObject {
  const tool = inner(object, 'tool');
  const schema = unpacked(tool['json_schema']);
  if (!isJsonObject(schema)) return tool;
  // Some write the whole definition, some its parameters alone.
  const isDefinition = isJsonObject(schema['function']) || typeof schema['name'] === 'string';
  return isDefinition ? schema : { name: tool['name'], description: tool['description'], parameters: schema };
}

function textsOf(list: readonly JsonObject[] | undefined, name: string): readonly unknown[] | undefined {
  return list?.map((each) => inner(each, name)['text'] ?? '');
}
