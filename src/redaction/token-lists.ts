/**
 * Members in which providers list the tokens of their text one by one: `logprobs` of OpenAI's APIs and those like it, `logprobsResult` of Gemini's. With
 * `top_logprobs` and its like they stand within these.
 */
const tokenLists: ReadonlySet<string> = new Set(['logprobs', 'logprobsResult']);

/**
 * A value without lists of tokens, `null` in their place. They spell the text beside them in pieces in which nothing is found.
 * @returns the same value where there are none.
 */
export function withoutTokenLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const left = value.map(withoutTokenLists);
    return left.every((item, index) => item === value[index]) ? value : left;
  }
  let changed = false;
  const members = Object.entries(value).map(([name, member]: [string, unknown]): [string, unknown] => {
    // A request's own `logprobs` says whether, or how many.
    const left = typeof member === 'object' && tokenLists.has(name) ? null : withoutTokenLists(member);
    changed ||= left !== member;
    return [name, left];
  });
  return changed ? Object.fromEntries(members) : value;
}
