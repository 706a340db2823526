import type { CallToolResult } from '@modelcontextprotocol/server';
import { ApiError } from '../../client/client.ts';
import { textResult } from './tool.ts';
import { beginningOf, tokenLimits, tokensOf } from '../input/budget.ts';
import { correctedFilter, grammar } from '../input/filter.ts';
import { InputError } from '../input/input-error.ts';

/**
 * A failed call as an answer that a model can correct itself by: what is wrong, where, and what to write instead.
 * @throws what is no failure of the caller or the service.
 */
export function failureResult(thrown: unknown, { filter, maxTokens }: FailedCall): CallToolResult {
  const most = typeof maxTokens === 'number' ? maxTokens : tokenLimits.standard;
  return { ...textResult(sentencesOf(thrown, filter).join('\n'), most), isError: true };
}

/** Arguments of a call. */
interface FailedCall {
  readonly filter?: unknown;
  readonly maxTokens?: unknown;
}

/** Of a sentence of the service, which may repeat what the caller wrote. */
const sentenceTokens = 200;

export function clippedSentence(sentence: string): string {
  const beginning = beginningOf(sentence, sentenceTokens);
  return beginning === sentence ? sentence : `${beginning}…`;
}

/** A part of a filter helps nobody. @returns undefined without a guess, and for one that takes too many tokens. */
export function shortCorrection(filter: unknown): unknown {
  const corrected = correctedFilter(filter);
  return corrected === undefined || tokensOf(JSON.stringify(corrected)) > correctionTokens ? undefined : corrected;
}

const correctionTokens = 1000;

function sentencesOf(thrown: unknown, filter: unknown): readonly string[] {
  if (thrown instanceof InputError) return [`\`${thrown.argument}\` ${thrown.message}.`];
  if (!(thrown instanceof ApiError)) throw thrown;
  const { message, code, place, hint } = thrown;
  return [
    `${clippedSentence(message)} (${code}${place === undefined ? '' : ` at ${clippedSentence(place)}`})`,
    ...(hint === undefined ? [] : [clippedSentence(hint)]),
    ...(thrown.isAway ? ['The service or a part of it is away; the same call may succeed later.'] : []),
    ...(code === 'invalid_filter' ? filterLessons(filter) : []),
    ...(code === 'query_timeout' || code === 'query_too_large' ? ['Ask for a shorter range of time or a narrower filter.'] : []),
  ];
}

function filterLessons(filter: unknown): readonly string[] {
  const corrected = shortCorrection(filter);
  return [...(corrected === undefined ? [] : [`Corrected, if this is what you meant: ${JSON.stringify(corrected)}`]), grammar];
}
