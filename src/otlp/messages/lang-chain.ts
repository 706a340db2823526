import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { type ChatChoice, textMember, unpacked } from './chat-message.ts';
import { readChoices } from './read-messages.ts';

/** What a result of LangChain says of the reply; an empty text is an absent one. */
export interface LangChainReply {
  readonly responseId: string;
  readonly model: string;
  readonly choices: readonly ChatChoice[];
}

/** Identifiers that LangChain makes where the provider's is not known yet. */
const generatedIds = /^(?:run-|lc_)|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Reads what instrumentations of LangChain keep of a call: `{generations: [[{text, message: {kwargs: {…}}}]]}`, with the provider's own
 * words in the message. Source: langchain-ai/langchainjs langchain-core/src/outputs.ts, src/messages/base.ts. Undefined: it is something else.
 */
export function langChainReply(value: unknown): LangChainReply | undefined {
  const result = unpacked(value);
  const generations = isJsonObject(result) ? result['generations'] : undefined;
  const messages = (Array.isArray(generations) ? generations.flat() : []).filter(isJsonObject).map(messageOf);
  const [first] = messages;
  if (first === undefined) return undefined;
  const metadata = metadataOf(first);
  const id = textMember(metadata, ['id']) || textMember(first, ['id']);
  return {
    responseId: generatedIds.test(id) ? '' : id,
    model: textMember(metadata, ['model_name', 'model']),
    choices: readChoices(messages.map(answerOf), []),
  };
}

/** A message is an object with its class, or its fields alone. */
function messageOf(generation: JsonObject): JsonObject {
  const { message } = generation;
  if (!isJsonObject(message)) return generation;
  const fields = message['kwargs'] ?? message['data'];
  return isJsonObject(fields) ? fields : message;
}

function metadataOf({ response_metadata: metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {};
}

function answerOf(message: JsonObject): JsonObject {
  const finishReason = textMember(metadataOf(message), ['finish_reason', 'stop_reason']);
  const { content, text, tool_calls: calls } = message;
  return { role: 'assistant', content: content ?? text, tool_calls: calls, ...(finishReason === '' ? {} : { finishReason }) };
}
