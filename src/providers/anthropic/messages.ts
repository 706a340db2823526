import { parseJson } from '../../model/text.ts';
import { joinLines, jsonOf, listOf, objectOf, textOf, userTexts } from '../format/fields.ts';
import type { RequestFields, ResponseFields, TokenTexts, WireFormat } from '../format/provider.ts';
import { bedrockModelIn, modelInPath } from '../format/path-names.ts';
import { readStatedCost } from '../format/stated-cost.ts';
import { assembleMessage } from './stream.ts';
import { readAnthropicUsage, servedAs } from './usage.ts';

/** `POST …/messages`, and the same body at Google's and Amazon's addresses, where the path names the model. */
export const anthropicMessages: WireFormat = {
  name: 'anthropic.messages',
  outputLimits: ['max_tokens'],
  readRequest: readMessagesRequest,
  readResponse: readMessagesResponse,
  assembleStream: assembleMessage,
  responseIdHeader: 'request-id',
  readTokenTexts: readMessagesTexts,
};

function readMessagesRequest(body: unknown, path: string): RequestFields {
  const request = objectOf(body);
  const messages = listOf(request['messages']).map(objectOf);
  const ofUser = messages.filter((message) => message['role'] === 'user').map((message) => contentText(message['content']));
  return {
    model: textOf(request['model']) || modelInPath(path) || bedrockModelIn(path),
    user: userIn(textOf(objectOf(request['metadata'])['user_id'])),
    promptText: joinLines([contentText(request['system']), ...messages.map((message) => contentText(message['content']))]),
    // A message with tool results only is not the user's text.
    ...userTexts(ofUser),
  };
}

const maxClaudeCodeUserIdLength = 1024;
/** How Claude Code of 2025 wrote them. */
const accountAndSession = /^user_(?<device>[0-9a-f]+)_account_(?<account>[0-9a-f-]*)_session_[0-9a-f-]+$/;

/** Claude Code writes device, account and session into one text. The account is the user, or the device of a user without one. */
function userIn(userId: string): string {
  if (userId.length > maxClaudeCodeUserIdLength) return userId;
  const { device, account } = userId.startsWith('{') ? accountOf(parseJson(userId)) : (accountAndSession.exec(userId)?.groups ?? {});
  return firstText([account, device, userId]);
}

function accountOf(parts: unknown): Readonly<Partial<Record<'device' | 'account', string>>> {
  const { session_id: session, account_uuid: account, device_id: device } = objectOf(parts);
  return typeof session === 'string' ? { account: textOf(account), device: textOf(device) } : {};
}

function firstText(texts: readonly (string | undefined)[]): string {
  return texts.find((text) => text !== undefined && text !== '') ?? '';
}

function readMessagesResponse(body: unknown): ResponseFields {
  const response = objectOf(body);
  const model = textOf(response['model']);
  // A text with citations is split into blocks within its sentences.
  const texts = blocksOf(response['content'], 'text').map((block) => textOf(block['text']));
  return {
    // An error has no id of its own, only the call's.
    responseId: textOf(response['id']) || textOf(response['request_id']),
    model,
    ...readAnthropicUsage(response['usage'], model),
    serviceTier: servedAs(response['usage']),
    completionText: texts.join(''),
    finishReason: textOf(response['stop_reason']),
    // Anthropic reports no cost; OpenRouter does at its Messages endpoint.
    providerCost: readStatedCost(response['usage']),
  };
}

/** @param content a text, or a list of blocks. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return textOf(content);
  return joinLines(blocksOf(content, 'text').map((block) => textOf(block['text'])));
}

function blocksOf(content: unknown, type: string): readonly Readonly<Record<string, unknown>>[] {
  return listOf(content)
    .map(objectOf)
    .filter((block) => block['type'] === type);
}

/** Tool calls and results count as raw JSON; pictures and documents have no text. */
function readMessagesTexts(request: unknown, response: unknown): TokenTexts {
  const { system, messages, tools } = objectOf(request);
  const messageTexts = listOf(messages).flatMap((message) => {
    const { content } = objectOf(message);
    const uses = [...blocksOf(content, 'tool_use'), ...blocksOf(content, 'tool_result')];
    return [contentText(content), ...uses.map((block) => jsonOf(block['input'] ?? block['content']))];
  });
  const blocks = listOf(objectOf(response)['content']).map(objectOf);
  return {
    prompt: joinLines([contentText(system), ...messageTexts, jsonOf(tools)]),
    completion: joinLines(
      blocks.map((block) => joinLines([textOf(block['text']), textOf(block['thinking']), textOf(block['name']), jsonOf(block['input'])])),
    ),
  };
}
