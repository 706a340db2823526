import { type Draw, between, token } from './text.ts';

/** Bodies of OpenAI's chat completions. */

export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly ContentPart[];
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
}

export interface Tool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description: string; readonly parameters: unknown };
}

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  readonly temperature: number;
}

export const model = 'gpt-4o-mini';
const charactersOfToken = 4;

export function requestBody(messages: readonly Message[], tools?: readonly Tool[]): string {
  const request: ChatRequest = { model, messages, ...(tools === undefined ? {} : { tools }), temperature: 0.2 };
  return JSON.stringify(request);
}

/** @param requestBytes of the request, which decide its tokens. */
export function responseBody(draw: Draw, message: Message, requestBytes: number): string {
  const promptTokens = Math.ceil(requestBytes / charactersOfToken);
  const completionTokens = Math.ceil(JSON.stringify(message).length / charactersOfToken);
  return JSON.stringify({
    id: `chatcmpl-${token(draw, 29)}`,
    object: 'chat.completion',
    created: 1_780_000_000 + between(draw, 0, 86_400),
    model: `${model}-2024-07-18`,
    choices: [
      {
        index: 0,
        message: { ...message, refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: message.tool_calls === undefined ? 'stop' : 'tool_calls',
      },
    ],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
    },
    service_tier: 'default',
    system_fingerprint: `fp_${token(draw, 10).toLowerCase()}`,
  });
}
