import type { CallToolResult } from '@modelcontextprotocol/server';
import { ApiError } from '../../client/client.ts';
import { correctedFilter, grammar } from '../input/filter.ts';
import { InputError } from '../input/input-error.ts';

/**
 * A failed call as an answer that a model can correct itself by: what is wrong, where, and what to write instead.
 * @throws what is no failure of the caller or the service.
 */
export function failureResult(thrown: unknown, filter: unknown): CallToolResult {
  return { content: [{ type: 'text', text: sentencesOf(thrown, filter).join('\n') }], isError: true };
}

function sentencesOf(thrown: unknown, filter: unknown): readonly string[] {
  if (thrown instanceof InputError) return [`\`${thrown.argument}\` ${thrown.message}.`];
  if (!(thrown instanceof ApiError)) throw thrown;
  const { message, code, place, hint } = thrown;
  return [
    `${message} (${code}${place === undefined ? '' : ` at ${place}`})`,
    ...(hint === undefined ? [] : [hint]),
    ...(thrown.isAway ? ['The service or a part of it is away; the same call may succeed later.'] : []),
    ...(code === 'invalid_filter' ? filterLessons(filter) : []),
    ...(code === 'query_timeout' || code === 'query_too_large' ? ['Ask for a shorter range of time or a narrower filter.'] : []),
  ];
}

function filterLessons(filter: unknown): readonly string[] {
  const corrected = correctedFilter(filter);
  return [...(corrected === undefined ? [] : [`Corrected, if this is what you meant: ${JSON.stringify(corrected)}`]), grammar];
}
