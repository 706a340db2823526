import { joinLines, listOf, objectOf, textOf } from '../facts.ts';
import type { RequestFacts, ResponseFacts, WireFormat } from '../provider.ts';
import { assembleChunks } from './chunks.ts';
import { readOpenAiUsage, readStatedCost } from './usage.ts';

/** `POST …/chat/completions`, OpenAI's own and that of everyone who speaks it. */
export const openAiChat: WireFormat = {
  name: 'openai.chat',
  readRequest: readChatRequest,
  readResponse: readChatResponse,
  assembleStream: assembleChunks,
};

function readChatRequest(body: unknown): RequestFacts {
  const request = objectOf(body);
  const messages = listOf(request['messages']).map(objectOf);
  return {
    model: textOf(request['model']),
    user: textOf(request['user']),
    promptText: joinLines(messages.map((message) => contentText(message['content']))),
    lastUserText: contentText(messages.findLast((message) => message['role'] === 'user')?.['content']),
  };
}

function readChatResponse(body: unknown): ResponseFacts {
  const response = objectOf(body);
  const choice = objectOf(listOf(response['choices'])[0]);
  const message = objectOf(choice['message']);
  return {
    responseId: textOf(response['id']),
    model: textOf(response['model']),
    usage: readOpenAiUsage(response['usage']),
    serviceTier: textOf(response['service_tier']),
    completionText: contentText(message['content']) || textOf(message['refusal']),
    finishReason: textOf(choice['finish_reason']),
    providerCost: readStatedCost(response['usage']),
  };
}

/** The text of a message's content: a text itself, or a list of parts of which those with text count. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return textOf(content);
  const parts = listOf(content).map((part) => (typeof part === 'string' ? { text: part } : objectOf(part)));
  return joinLines(parts.map((part) => textOf(part['text']) || textOf(part['refusal'])));
}
