import type { JsonObject } from '../../model/text.ts';
import { joinLines, listOf, objectOf, textOf, userTexts } from '../format/fields.ts';
import type { RequestFields, ResponseFields, TokenTexts, WireFormat } from '../format/provider.ts';
import { deploymentOf } from '../format/path-names.ts';
import { assembleChunks } from './chunks.ts';
import { readStatedCost } from '../format/stated-cost.ts';
import { toolsText } from './tool-text.ts';
import { readOpenAiUsage, usageIn } from './usage.ts';

/** `POST …/chat/completions` of OpenAI and of all compatible providers. */
export const openAiChat: WireFormat = {
  name: 'openai.chat',
  outputLimits: ['max_tokens', 'max_completion_tokens'],
  readRequest: readChatRequest,
  readResponse: readChatResponse,
  assembleStream: assembleChunks,
  responseIdHeader: 'x-request-id',
  readTokenTexts: readChatTexts,
};

function readChatRequest(body: unknown, path: string): RequestFields {
  const request = objectOf(body);
  const messages = listOf(request['messages']).map(objectOf);
  const ofUser = messages.filter(({ role }) => role === 'user').map(({ content }) => contentText(content));
  return {
    model: textOf(request['model']) || deploymentOf(path),
    user: textOf(request['user']) || textOf(request['safety_identifier']),
    cacheKey: textOf(request['prompt_cache_key']),
    promptText: joinLines(messages.map((message) => contentText(message['content']))),
    ...userTexts(ofUser),
  };
}

function readChatResponse(body: unknown): ResponseFields {
  const response = objectOf(body);
  const choice = objectOf(listOf(response['choices'])[0]);
  const message = objectOf(choice['message']);
  const model = textOf(response['model']);
  const usage = usageIn(response);
  return {
    responseId: textOf(response['id']),
    model,
    usage: readOpenAiUsage(usage),
    serviceTier: textOf(response['service_tier']),
    completionText: contentText(message['content']) || textOf(message['refusal']) || transcriptOf(message),
    finishReason: textOf(choice['finish_reason']),
    providerCost: readStatedCost(usage, model),
  };
}

/** @param content a text, or a list of parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return textOf(content);
  const parts = listOf(content).map((part) => (typeof part === 'string' ? { text: part } : objectOf(part)));
  return joinLines(parts.map((part) => textOf(part['text']) || textOf(part['refusal'])));
}

/** Transcript of an audio answer. */
function transcriptOf(message: JsonObject): string {
  return textOf(objectOf(message['audio'])['transcript']);
}

/** In every choice all output counts: text, audio transcripts, reasoning under either name, refusals, tool calls. */
function readChatTexts(request: unknown, response: unknown): TokenTexts {
  const { messages, tools, functions } = objectOf(request);
  const calls = listOf(messages).map((message) => callsText(objectOf(message)['tool_calls']));
  const choiceTexts = listOf(objectOf(response)['choices']).map((choice) => {
    const message = objectOf(objectOf(choice)['message']);
    const { content, refusal, reasoning_content: thought, reasoning, tool_calls: called, function_call: calledFirst } = message;
    const texts = [contentText(content), transcriptOf(message), textOf(refusal), textOf(thought) || textOf(reasoning)];
    return joinLines([...texts, callsText(called), callText(calledFirst)]);
  });
  return {
    prompt: joinLines([readChatRequest(request, '').promptText, ...calls, toolsText(tools), toolsText(functions)]),
    completion: joinLines(choiceTexts),
    messages: listOf(messages).length,
  };
}

function callsText(calls: unknown): string {
  return joinLines(listOf(calls).map((call) => callText(objectOf(call)['function'] ?? objectOf(call)['custom'])));
}

/** The tokens that a model writes for a call: the name and the arguments. Ids and types are added afterwards. */
function callText(called: unknown): string {
  const { name, arguments: callArguments, input } = objectOf(called);
  const to = textOf(name);
  return joinLines([to === '' ? '' : `to=functions.${to}`, textOf(callArguments) || textOf(input)]);
}
