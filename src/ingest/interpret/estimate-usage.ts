import type { Exchange } from '../../model/record/exchange.ts';
import type { Usage } from '../../model/record/usage.ts';
import type { TokenTexts, WireFormat } from '../../providers/provider.ts';
import type { ReadRequest, ReadResponse } from './bodies.ts';
import { countTokens } from './count-tokens.ts';

/**
 * The response with the counts that its provider did not report, made from the texts that were seen and marked as estimated: a stream that
 * was left or broke off, or one without a usage chunk. What was reported stays. Nothing is made up where nothing was generated: an error,
 * a reply without a text, a stream that ended before its first word and said nothing of its input.
 */
export function withEstimate(response: ReadResponse, request: ReadRequest, understood: Understood): ReadResponse {
  const { usage } = response.facts;
  if (usage.promptTokens !== null && usage.completionTokens !== null) return response;
  const estimated = estimateUsage(response, request, understood);
  return estimated === undefined ? response : { ...response, facts: { ...response.facts, usage: estimated } };
}

/** @returns undefined where there is nothing to estimate. */
function estimateUsage(response: ReadResponse, request: ReadRequest, { exchange, format }: Understood): Usage | undefined {
  const { usage, model } = response.facts;
  const status = exchange.responseHead?.status ?? 0;
  if (format?.readTokenTexts === undefined || response.parsed === undefined || status < 200 || status > 299) return undefined;
  const { completion, ...asked } = format.readTokenTexts(request.parsed, response.parsed);
  if (completion === '' && usage.promptTokens === null) return undefined;
  const named = model === '' ? request.facts.model : model;
  // Of a request that cannot be read nobody knows how long it was.
  const promptTokens = usage.promptTokens ?? (request.parsed === undefined ? null : countPrompt(asked, named));
  return { ...usage, promptTokens, completionTokens: usage.completionTokens ?? countTokens(completion, named), estimated: true };
}

/** What OpenAI puts around each message with its role, and in front of the reply (its cookbook, "How to count tokens with tiktoken"). */
const tokensOfMessage = 4;
const tokensOfResponse = 3;

function countPrompt({ prompt, messages = 0 }: Omit<TokenTexts, 'completion'>, model: string): number {
  const framing = messages === 0 ? 0 : messages * tokensOfMessage + tokensOfResponse;
  return countTokens(prompt, model) + framing;
}

/** An exchange with the format that it was in. */
export interface Understood {
  readonly exchange: Exchange;
  readonly format: WireFormat | undefined;
}
