import { isJsonObject, type JsonObject } from '../model/text.ts';
import type { AddressedProvider } from '../model/providers/providers.ts';
import { anthropicMessages } from './anthropic/messages.ts';
import { listOf, objectOf, textOf } from './format/fields.ts';
import { geminiGenerateContent } from './google/generate-content.ts';
import { openAiChat } from './openai/chat.ts';
import { openAiCompletions } from './openai/completions.ts';
import { openAiResponses } from './openai/responses.ts';
import type { WireFormat } from './format/provider.ts';

/** Formats by the members that only their requests have; the first match counts. */
const formatsByMembers: readonly (readonly [members: readonly string[], format: WireFormat])[] = [
  [['contents'], geminiGenerateContent],
  // OpenAI's chat has its system prompt among the messages.
  [['messages', 'system'], anthropicMessages],
  [['messages', 'anthropic_version'], anthropicMessages],
  [['messages'], openAiChat],
  [['input'], openAiResponses],
  [['prompt'], openAiCompletions],
];

/** The probable format of a request whose path is not known, as in the records of other services. */
export function wireFormatByShape(request: unknown): WireFormat | undefined {
  if (!isJsonObject(request)) return undefined;
  return formatsByMembers.find(([members]) => members.every((member) => Object.hasOwn(request, member)))?.[1];
}

/** An endpoint, and whose it is. */
export interface ShapedEndpoint {
  readonly path: string;
  readonly maker: AddressedProvider;
}

/** A call whose path is not known. */
export interface PathlessCall {
  readonly request: unknown;
  /** Undefined when it is no JSON. */
  readonly response: unknown;
  /** The beginning of a response that is no JSON; else empty. */
  readonly responseText: string;
  /** Undefined: any may have answered. */
  readonly provider: string | undefined;
}

/** The endpoint that a call probably went to, by what is in its bodies; undefined for an unknown shape. */
export function endpointByShape(call: PathlessCall): ShapedEndpoint | undefined {
  const request = objectOf(call.request);
  const response = objectOf(call.response);
  if (Object.hasOwn(request, 'contents') || Object.hasOwn(response, 'candidates')) return googleEndpoint(request, response);
  if (isOfAnthropic(call, request, response)) return { path: '/v1/messages', maker: 'anthropic' };
  const path = openAiPath(request, response);
  return path === undefined ? undefined : { path, maker: 'openai' };
}

function googleEndpoint(request: JsonObject, response: JsonObject): ShapedEndpoint {
  const model = textOf(request['model']) || textOf(response['modelVersion']);
  const named = model.replace(/^models\//, '');
  return { path: `/v1beta/models/${encodeURIComponent(named)}:generateContent`, maker: 'gemini' };
}

function isOfAnthropic({ provider, responseText }: PathlessCall, request: JsonObject, response: JsonObject): boolean {
  if (Object.hasOwn(response, 'choices') || !Object.hasOwn(request, 'messages')) return false;
  const isAnswer = response['type'] === 'message' && Array.isArray(response['content']);
  const isRequest = wireFormatByShape(request) === anthropicMessages;
  return isAnswer || isRequest || provider === 'anthropic' || /"type"\s*:\s*"message_start"/.test(responseText);
}

function openAiPath(request: JsonObject, response: JsonObject): string | undefined {
  if (Object.hasOwn(request, 'messages') || response['object'] === 'chat.completion') return '/v1/chat/completions';
  const [first] = listOf(response['data']);
  if (isJsonObject(first) && Object.hasOwn(first, 'embedding')) return '/v1/embeddings';
  if (isJsonObject(first) && (Object.hasOwn(first, 'b64_json') || Object.hasOwn(first, 'url'))) return '/v1/images/generations';
  if (Object.hasOwn(request, 'input') || response['object'] === 'response') return '/v1/responses';
  return Object.hasOwn(request, 'prompt') || response['object'] === 'text_completion' ? '/v1/completions' : undefined;
}
