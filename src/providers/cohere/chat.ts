import { unreportedUsage, type Usage } from '../../model/record/usage.ts';
import { isJsonObject } from '../../model/text.ts';
import { countOf, joinLines, jsonOf, listOf, objectOf, textOf, userTexts } from '../format/fields.ts';
import type { RequestFields, ResponseFields, TokenTexts, WireFormat } from '../format/provider.ts';
import { assembleChat } from './stream.ts';

/** Cohere's own `POST /v2/chat`. */
export const cohereChat: WireFormat = {
  name: 'cohere.chat',
  outputLimits: ['max_tokens'],
  readRequest: readChatRequest,
  readResponse: readChatResponse,
  assembleStream: assembleChat,
  readTokenTexts: readChatTexts,
};

/** The format has no field for an end user. */
function readChatRequest(body: unknown): RequestFields {
  const request = objectOf(body);
  const messages = listOf(request['messages']).map(objectOf);
  const ofUser = messages.filter(({ role }) => role === 'user').map(({ content }) => contentText(content));
  return {
    model: textOf(request['model']),
    user: '',
    promptText: joinLines(messages.map(({ content }) => contentText(content))),
    ...userTexts(ofUser),
  };
}

/** A response does not name its model. */
function readChatResponse(body: unknown): ResponseFields {
  const response = objectOf(body);
  const parts = listOf(objectOf(response['message'])['content']).map(objectOf);
  return {
    responseId: textOf(response['id']),
    model: '',
    usage: readCohereUsage(response['usage']),
    serviceTier: '',
    completionText: parts.map(({ text }) => textOf(text)).join(''),
    finishReason: textOf(response['finish_reason']),
    providerCost: null,
  };
}

/**
 * The `usage` of a chat. Cohere counts twice: `billed_units` is billed to the caller; `tokens` includes the template around the caller's
 * messages. We use the billed counts, so that tokens and cost agree, and fall back to `tokens` for a side without one.
 */
export function readCohereUsage(usage: unknown): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  const billed = objectOf(usage['billed_units']);
  const seen = objectOf(usage['tokens']);
  return {
    ...unreportedUsage,
    promptTokens: countOf(billed['input_tokens']) ?? countOf(seen['input_tokens']),
    completionTokens: countOf(billed['output_tokens']) ?? countOf(seen['output_tokens']),
    // Counted with the template, so it may exceed the billed prompt.
    promptCacheReadTokens: countOf(usage['cached_tokens']),
    reasoningTokens: countOf(seen['reasoning_tokens']),
    raw: usage,
  };
}

/** @param content a text, or a list of parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return textOf(content);
  return joinLines(listOf(content).map((part) => textOf(objectOf(part)['text'])));
}

/** Documents, tool calls and tool results count as raw JSON; pictures have no text. */
function readChatTexts(request: unknown, response: unknown): TokenTexts {
  const { messages, tools, documents } = objectOf(request);
  const messageTexts = listOf(messages).map((message) => {
    const { content, tool_plan: plan, tool_calls: calls } = objectOf(message);
    const documentTexts = listOf(content).map((part) => jsonOf(objectOf(part)['document']));
    return joinLines([contentText(content), textOf(plan), jsonOf(calls), ...documentTexts]);
  });
  const { content, tool_plan: plan, tool_calls: called } = objectOf(objectOf(response)['message']);
  const contentTexts = listOf(content)
    .map(objectOf)
    .map(({ text, thinking }) => joinLines([textOf(text), textOf(thinking)]));
  return {
    prompt: joinLines([...messageTexts, jsonOf(documents), jsonOf(tools)]),
    completion: joinLines([...contentTexts, textOf(plan), jsonOf(called)]),
  };
}
