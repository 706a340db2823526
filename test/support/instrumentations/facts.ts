import type { RequestItem } from '../../../src/contract/requests/item.ts';
import { isJsonObject } from '../../../src/model/text.ts';
import { wireFormatFor } from '../../../src/providers/registry.ts';
import { type AnsweredCall, anthropicTruth, openAiTruth, type Truth } from './provider.ts';

/** What a record must say of a call. */
export interface Facts extends Truth {
  readonly isEstimated: boolean;
  /** The question of the user. */
  readonly asked: string;
  readonly said: string;
}

/** Of the call itself. */
export function trueFacts({ path, request, reply }: AnsweredCall): Facts {
  const truth = path.includes('/messages') ? anthropicTruth : openAiTruth;
  return { ...truth, isEstimated: false, asked: questionIn(request), said: reply };
}

/** Of its record; what the record does not have is null or empty. */
export function factsOf(item: RequestItem): Facts {
  const format = wireFormatFor(item.provider.toLowerCase(), item.request_path ?? '');
  const request = isJsonObject(item.request_body) ? item.request_body : {};
  const response = isJsonObject(item.response_body) ? item.response_body : {};
  return {
    model: item.model ?? '',
    promptTokens: item.prompt_tokens ?? 0,
    cacheReadTokens: item.prompt_cache_read_tokens ?? 0,
    cacheWriteTokens: someOf(item.prompt_cache_write_tokens),
    completionTokens: item.completion_tokens ?? 0,
    reasoningTokens: someOf(item.reasoning_tokens),
    cost: item.cost ?? 0,
    isEstimated: item.usage_estimated,
    asked: questionIn(format?.readRequest(request, item.request_path ?? '').promptText ?? ''),
    said: format?.readResponse(response).completionText ?? '',
  };
}

/** A count of none is left out by some. */
function someOf(count: number | null): number | null {
  return count === 0 ? null : count;
}

function questionIn(text: string): string {
  return /When does the harbour open\? This is question \d+\./.exec(text)?.[0] ?? '';
}
