import { isJsonObject } from '../../model/text.ts';
import { asText, unpacked } from '../messages/chat-message.ts';
import { readChoices, readMessages } from '../messages/read-messages.ts';
import type { Span } from '../received/span.ts';
import type { Conversation, Dialect, AttributeNames } from './dialect.ts';

const metadata = 'mastra.metadata.';

/** What Mastra's exporter writes beside `gen_ai.*`. */
const attributeNames: AttributeNames = {
  userId: [`${metadata}userId`, `${metadata}user_id`, `${metadata}resourceId`],
  sessionId: [`${metadata}sessionId`, `${metadata}session_id`, `${metadata}threadId`],
};

export const mastra: Dialect = {
  name: 'Mastra',
  source: 'mastra-ai/mastra observability/otel-exporter/src/gen-ai-semantics.ts',
  attributeNames,
  operationOf: () => undefined,
  conversationOf,
  propertyPrefixes: [metadata],
  propertyObjects: ['mastra.metadata'],
  tagLists: ['mastra.tags'],
  namespaces: ['mastra.'],
};

/** Only the step around a call of a model tells what was said. */
export function isStepOfModel({ attributes }: Span): boolean {
  return attributes.has('mastra.model_step.input') || attributes.has('mastra.model_step.output');
}

function conversationOf({ attributes }: Span): Conversation {
  const input = messagesIn(unpacked(attributes.get('mastra.model_step.input')));
  const output = answerIn(unpacked(attributes.get('mastra.model_step.output')));
  return {
    messages: input === undefined ? undefined : readMessages(input),
    choices: output === undefined ? undefined : readChoices(output, []),
  };
}

/** The messages, an object that holds them, or the request as the provider got it, in `body`. */
function messagesIn(input: unknown): unknown {
  if (!isJsonObject(input)) return input;
  const body = unpacked(input['body']);
  return input['messages'] ?? input['prompt'] ?? (isJsonObject(body) ? (body['messages'] ?? body['input']) : undefined) ?? input;
}

/** `{text, reasoning, toolCalls}`, as the AI SDK's results. */
function answerIn(output: unknown): unknown {
  if (!isJsonObject(output) || output['role'] !== undefined || output['parts'] !== undefined) return output;
  const { text, object, reasoning, reasoningText, toolCalls, finishReason } = output;
  const thought = typeof reasoningText === 'string' ? reasoningText : reasoning;
  const isResult = text !== undefined || object !== undefined || toolCalls !== undefined;
  if (!isResult) return output;
  return {
    role: 'assistant',
    content: text ?? (object === undefined ? undefined : asText(object)),
    ...(typeof thought === 'string' ? { reasoning: thought } : {}),
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(typeof finishReason === 'string' ? { finishReason } : {}),
  };
}
