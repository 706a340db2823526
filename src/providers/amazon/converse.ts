import { joinLines, jsonOf, listOf, objectOf, textOf, userTexts } from '../format/fields.ts';
import { bedrockModelIn, bedrockModelOf } from '../format/path-names.ts';
import type { RequestFields, ResponseFields, TokenTexts, WireFormat } from '../format/provider.ts';
import { assembleConversation } from './converse-stream.ts';
import { readConverseUsage } from './usage.ts';

/** Bedrock's `POST /model/<id>/converse` and `/converse-stream`: one format for the models of all makers. */
export const bedrockConverse: WireFormat = {
  name: 'amazon.converse',
  outputLimits: ['inferenceConfig.maxTokens'],
  readRequest: readConverseRequest,
  readResponse: readConverseResponse,
  assembleStream: assembleConversation,
  responseIdHeader: 'x-amzn-requestid',
  readTokenTexts: readConverseTexts,
};

/** The format has no field for an end user. */
function readConverseRequest(body: unknown, path: string): RequestFields {
  const request = objectOf(body);
  const messages = listOf(request['messages']).map(objectOf);
  const ofUser = messages.filter(({ role }) => role === 'user').map(({ content }) => contentText(content));
  return {
    model: bedrockModelIn(path),
    user: '',
    promptText: joinLines([contentText(request['system']), ...messages.map(({ content }) => contentText(content))]),
    // A message with tool results only is not the user's text.
    ...userTexts(ofUser),
  };
}

function readConverseResponse(body: unknown): ResponseFields {
  const response = objectOf(body);
  const router = objectOf(objectOf(response['trace'])['promptRouter']);
  return {
    responseId: '',
    // A response names its model only when a prompt router has chosen it.
    model: bedrockModelOf(textOf(router['invokedModelId'])),
    usage: readConverseUsage(response['usage']),
    serviceTier: servedAs(response),
    completionText: listOf(objectOf(objectOf(response['output'])['message'])['content'])
      .flatMap(blockTexts)
      .join(''),
    finishReason: textOf(response['stopReason']),
    providerCost: null,
  };
}

/** The part of the service that decides the price: optimised latency takes precedence over the tier. */
function servedAs({ performanceConfig, serviceTier }: Readonly<Record<string, unknown>>): string {
  const { latency } = objectOf(performanceConfig);
  return latency === 'optimized' ? latency : textOf(objectOf(serviceTier)['type']);
}

/** Texts of a block: its own, one marked for a guardrail, or one with citations, which split it within sentences. */
function blockTexts(block: unknown): readonly string[] {
  const { text, guardContent, citationsContent } = objectOf(block);
  const cited = listOf(objectOf(citationsContent)['content']).map((part) => textOf(objectOf(part)['text']));
  return [textOf(text), textOf(objectOf(objectOf(guardContent)['text'])['text']), cited.join('')];
}

function contentText(content: unknown): string {
  return joinLines(listOf(content).flatMap(blockTexts));
}

/** Tool calls and results count as raw JSON; media and documents have no text. */
function readConverseTexts(request: unknown, response: unknown): TokenTexts {
  const { system, messages, toolConfig } = objectOf(request);
  const messageTexts = listOf(messages).map((message) => allText(objectOf(message)['content']));
  return {
    prompt: joinLines([contentText(system), ...messageTexts, jsonOf(objectOf(toolConfig)['tools'])]),
    completion: allText(objectOf(objectOf(objectOf(response)['output'])['message'])['content']),
  };
}

/** All text of a message: speech, reasoning, tool calls and tool results. */
function allText(content: unknown): string {
  const texts = listOf(content).map((block) => {
    const { reasoningContent, toolUse, toolResult } = objectOf(block);
    const { name, input } = objectOf(toolUse);
    const thought = textOf(objectOf(objectOf(reasoningContent)['reasoningText'])['text']);
    return joinLines([...blockTexts(block), thought, textOf(name), jsonOf(input), jsonOf(objectOf(toolResult)['content'])]);
  });
  return joinLines(texts);
}
