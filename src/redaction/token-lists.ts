import { tokenIdMembers } from '../model/providers/providers.ts';

/** Members that always hold tokens with probabilities (vLLM, llama.cpp). */
const probabilities: ReadonlySet<string> = new Set(['prompt_logprobs', 'completion_probabilities']);
/** An object of such lists, or a list of tokens (OpenAI, Gemini). */
const logprobs: ReadonlySet<string> = new Set(['logprobs', 'logprobsResult']);
const listsOfLogprobs = ['content', 'refusal', 'chosenCandidates', 'topCandidates', ...tokenIdMembers];

/**
 * Replaces token lists by `null`: they spell out the text in pieces that no rule matches. A member that only shares the name, as in a
 * tool's schema, stays. @returns the same value when there are none.
 */
export function withoutTokenLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const stripped = value.map(withoutTokenLists);
    return stripped.every((item, index) => item === value[index]) ? value : stripped;
  }
  let changed = false;
  const members = Object.entries(value).map(([name, member]: [string, unknown]): [string, unknown] => {
    const stripped = isTokenList(name, member) ? null : withoutTokenLists(member);
    changed ||= stripped !== member;
    return [name, stripped];
  });
  return changed ? Object.fromEntries(members) : value;
}

function isTokenList(name: string, member: unknown): boolean {
  if (typeof member !== 'object' || member === null) return false;
  if (probabilities.has(name)) return true;
  if (tokenIdMembers.has(name)) return isFilled(member) && member.every(Number.isInteger);
  if (name === 'words') return isFilled(member) && member.every((item) => has(item, 'word'));
  if (!logprobs.has(name)) return false;
  if (Array.isArray(member)) return isFilled(member) && member.every((item) => has(item, 'token'));
  return listsOfLogprobs.some((list) => Array.isArray((member as Readonly<Record<string, unknown>>)[list]));
}

function isFilled(member: object): member is readonly unknown[] {
  return Array.isArray(member) && member.length > 0;
}

function has(item: unknown, name: string): boolean {
  return typeof item === 'object' && item !== null && Object.hasOwn(item, name);
}
