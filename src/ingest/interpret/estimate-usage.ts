import type { Exchange } from '../../model/record/exchange.ts';
import type { Usage } from '../../model/record/usage.ts';
import type { TokenTexts, WireFormat } from '../../providers/format/provider.ts';
import type { ReadRequest, ReadResponse } from './bodies.ts';
import { countTokens } from './count-tokens.ts';

/**
 * Adds estimated counts that the provider did not report, from the recorded texts: for a stream that the client left or that broke off, or
 * one without a usage chunk. Reported counts stay. Nothing is estimated where nothing was generated: an error, a response without text, a
 * stream that ended before its first word and reported no input.
 */
export function withEstimate(response: ReadResponse, request: ReadRequest, understood: Understood): ReadResponse {
  const { usage } = response.fields;
  if (usage.promptTokens !== null && usage.completionTokens !== null) return response;
  const estimated = estimateUsage(response, request, understood);
  return estimated === undefined ? response : { ...response, fields: { ...response.fields, usage: estimated } };
}

/** @returns undefined where there is nothing to estimate. */
function estimateUsage(response: ReadResponse, request: ReadRequest, { exchange, format }: Understood): Usage | undefined {
  const { usage, model } = response.fields;
  const status = exchange.responseHead?.status ?? 0;
  if (format?.readTokenTexts === undefined || response.parsed === undefined || status < 200 || status > 299) return undefined;
  const { completion, ...promptTexts } = format.readTokenTexts(request.parsed, response.parsed);
  const modelName = model === '' ? request.fields.model : model;
  if (completion === undefined) return withPromptEstimate(usage, promptTexts, modelName);
  return withBothEstimates(usage, { ...promptTexts, completion }, { modelName, isReadable: request.parsed !== undefined });
}

interface Counted {
  readonly modelName: string;
  /** The request is parsed. */
  readonly isReadable: boolean;
}

function withBothEstimates(
  usage: Usage,
  { completion, ...promptTexts }: TokenTexts & { readonly completion: string },
  { modelName, isReadable }: Counted,
): Usage | undefined {
  if (completion === '' && usage.promptTokens === null) return undefined;
  // The length of an unreadable request is unknown.
  const promptTokens = usage.promptTokens ?? (isReadable ? countPrompt(promptTexts, modelName) : null);
  return { ...usage, promptTokens, completionTokens: usage.completionTokens ?? countTokens(completion, modelName), estimated: true };
}

/** Of a response without text, such as vectors: its input is all that counts. */
function withPromptEstimate(usage: Usage, { prompt }: Pick<TokenTexts, 'prompt'>, model: string): Usage | undefined {
  if (usage.promptTokens !== null || prompt === '') return undefined;
  return { ...usage, promptTokens: countTokens(prompt, model), estimated: true };
}

/** Tokens that OpenAI adds to each message and to the response (its cookbook, "How to count tokens with tiktoken"). */
const tokensOfMessage = 4;
const tokensOfResponse = 3;

function countPrompt({ prompt, messages = 0 }: Omit<TokenTexts, 'completion'>, model: string): number {
  const framing = messages === 0 ? 0 : messages * tokensOfMessage + tokensOfResponse;
  return countTokens(prompt, model) + framing;
}

export interface Understood {
  readonly exchange: Exchange;
  readonly format: WireFormat | undefined;
}
