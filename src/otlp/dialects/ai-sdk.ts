import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { countIn, type Usage } from './usage.ts';
import { objectsIn, unpacked } from '../messages/chat-message.ts';
import { toolCallOf } from '../messages/parts.ts';
import { readMessages, readTools } from '../messages/read-messages.ts';
import { type Attributes, type AttributeValue, type Span, textAt } from '../received/span.ts';
import type { Conversation, Dialect, AttributeNames, Operation } from './dialect.ts';

const metadata = 'ai.telemetry.metadata.';
/** Of version 7, on the spans around a call. */
const runtimeContext = 'ai.settings.context.';

/** The AI SDK up to version 6, and what `@ai-sdk/otel` of version 7 adds to `gen_ai.*`. */
const attributeNames: AttributeNames = {
  provider: ['ai.model.provider'],
  requestModel: ['ai.model.id'],
  responseModel: ['ai.response.model'],
  responseId: ['ai.response.id'],
  finishReason: ['ai.response.finishReason', 'ai.finishReason', 'gen_ai.finishReason'],
  userId: [`${metadata}userId`, `${metadata}user_id`, 'ai.settings.context.userId'],
  sessionId: [`${metadata}sessionId`, `${metadata}session_id`, `${metadata}threadId`, `${metadata}chatId`, 'ai.settings.context.sessionId'],
  sessionName: [`${metadata}sessionName`],
  toolName: ['ai.toolCall.name'],
  toolCallId: ['ai.toolCall.id'],
  stepName: ['ai.telemetry.functionId', 'gen_ai.function_id'],
  inputTokens: ['ai.usage.inputTokens', 'ai.usage.promptTokens', 'ai.usage.tokens'],
  outputTokens: ['ai.usage.outputTokens', 'ai.usage.completionTokens'],
  totalTokens: ['ai.usage.totalTokens'],
  cacheReadTokens: ['ai.usage.inputTokenDetails.cacheReadTokens', 'ai.usage.cachedInputTokens'],
  cacheWriteTokens: ['ai.usage.inputTokenDetails.cacheWriteTokens', 'ai.usage.cacheCreationInputTokens'],
  reasoningTokens: ['ai.usage.outputTokenDetails.reasoningTokens', 'ai.usage.reasoningTokens'],
  firstTokenMs: ['ai.response.msToFirstChunk', 'ai.stream.msToFirstChunk'],
  temperature: ['ai.settings.temperature'],
  max_tokens: ['ai.settings.maxOutputTokens', 'ai.settings.maxTokens'],
  top_p: ['ai.settings.topP'],
  top_k: ['ai.settings.topK'],
  seed: ['ai.settings.seed'],
  n: ['ai.settings.n'],
  size: ['ai.settings.size'],
};

/** `ai.operationId`. An outer span holds the sums of the calls inside it, so it is a level. */
const operations: ReadonlyMap<string, Operation> = new Map([
  ['ai.generateText', 'level'],
  ['ai.generateText.doGenerate', 'chat'],
  ['ai.streamText', 'level'],
  ['ai.streamText.doStream', 'chat'],
  ['ai.generateObject', 'level'],
  ['ai.generateObject.doGenerate', 'chat'],
  ['ai.streamObject', 'level'],
  ['ai.streamObject.doStream', 'chat'],
  ['ai.embed', 'level'],
  ['ai.embed.doEmbed', 'embeddings'],
  ['ai.embedMany', 'level'],
  ['ai.embedMany.doEmbed', 'embeddings'],
  ['ai.rerank', 'level'],
  ['ai.rerank.doRerank', 'rerank'],
  ['ai.toolCall', 'tool'],
]);

export const aiSdk: Dialect = {
  name: 'AI SDK',
  source: 'vercel/ai packages/ai/src/telemetry and packages/otel/src; the page "Telemetry" of its documentation',
  attributeNames,
  operationOf: ({ attributes }) => {
    const [id = ''] = textAt(attributes, ['ai.operationId', 'operation.name']).split(' ', 1);
    return operations.get(id) ?? (id.startsWith('ai.') ? 'level' : undefined);
  },
  conversationOf,
  usageOf,
  propertyPrefixes: [metadata, runtimeContext],
  contextPrefixes: [runtimeContext],
  propertyObjects: [],
  tagLists: [`${metadata}tags`],
  namespaces: ['ai.', 'operation.', 'resource.name'],
};

function conversationOf({ attributes }: Span): Conversation {
  const messages = attributes.get('ai.prompt.messages') ?? promptMessages(attributes);
  const tools = listOf(attributes.get('ai.prompt.tools'));
  return {
    messages: messages === undefined ? undefined : readMessages(messages),
    choices: choicesOf(attributes),
    tools: tools === undefined ? undefined : readTools(tools),
    input:
      attributes.get('ai.toolCall.args') ?? attributes.get('ai.values') ?? attributes.get('ai.value') ?? attributes.get('ai.documents'),
    output: attributes.get('ai.toolCall.result') ?? attributes.get('ai.ranking'),
  };
}

/** A list of texts or one text that holds a list. */
function listOf(value: AttributeValue | undefined): readonly unknown[] | undefined {
  const list = unpacked(value);
  return Array.isArray(list) ? list : undefined;
}

/** The outer spans' form: `{system, messages, prompt}`. */
function promptMessages(attributes: Attributes): unknown {
  const prompt = unpacked(attributes.get('ai.prompt'));
  if (!isJsonObject(prompt)) return prompt;
  const system = typeof prompt['system'] === 'string' ? [{ role: 'system', content: prompt['system'] }] : [];
  const rest = prompt['messages'] ?? prompt['prompt'];
  return [...system, ...(Array.isArray(rest) ? (rest as unknown[]) : rest === undefined ? [] : [{ role: 'user', content: rest }])];
}

function choicesOf(attributes: Attributes): Conversation['choices'] {
  const text = textAt(attributes, ['ai.response.text', 'ai.response.object', 'ai.result.text', 'ai.result.object']);
  const reasoning = textAt(attributes, ['ai.response.reasoning']);
  const calls = objectsIn(attributes.get('ai.response.toolCalls') ?? attributes.get('ai.result.toolCalls')).map(toolCallOf);
  if (text === '' && reasoning === '' && calls.length === 0) return undefined;
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return [{ message, finishReason: textAt(attributes, attributeNames.finishReason ?? []) }];
}

/**
 * The provider's own usage where the metadata have it: before version 6 the counts lacked what Anthropic and Bedrock read from and wrote to
 * a cache, and how long a write is kept is nowhere else.
 */
function usageOf({ attributes }: Span): Usage | undefined {
  const told = unpacked(attributes.get('ai.response.providerMetadata'));
  if (!isJsonObject(told)) return undefined;
  const anthropic = usageIn(told['anthropic']);
  if (anthropic !== undefined && countIn(anthropic['input_tokens']) !== undefined) return { anthropic };
  const bedrock = usageIn(told['bedrock']);
  return bedrock === undefined
    ? undefined
    : { cacheReadTokens: countIn(bedrock['cacheReadInputTokens']), cacheWriteTokens: countIn(bedrock['cacheWriteInputTokens']) };
}

function usageIn(metadataOfProvider: unknown): JsonObject | undefined {
  const usage = isJsonObject(metadataOfProvider) ? metadataOfProvider['usage'] : undefined;
  return isJsonObject(usage) ? usage : undefined;
}
