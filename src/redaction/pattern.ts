import { RE2JS } from 're2js';
import { messageOf } from '../model/errors.ts';
import { redactionLimits } from '../model/redaction-rule.ts';

export type ReplaceMatches = (text: string, replacement: string) => string;

/** @returns why a pattern is refused, for people; undefined when it is valid. */
export function wrongPattern(pattern: string): string | undefined {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (error) {
    const reason = messageOf(error).replace(/^error parsing regexp: /, '');
    return `it is not in the syntax of RE2, which has no look-around and no back-references (${reason})`;
  }
  if (compiled.programSize() > redactionLimits.patternSize) return 'it is too large; write smaller repetitions';
  return compiled.test('') ? 'it matches the empty text, so it would match everywhere' : undefined;
}

/**
 * Compiles a pattern with RE2, which runs in linear time. Finding all matches may still take quadratic time, where each match is short and
 * only the end of the text decides it.
 * @throws when the pattern is invalid.
 */
export function compilePattern(pattern: string): ReplaceMatches {
  const compiled = RE2JS.compile(pattern);
  return (text, replacement) => {
    // Most texts have no match, and the test costs a tenth of the search.
    if (!compiled.test(text)) return text;
    let result = '';
    let done = 0;
    for (const { 0: found, index = 0 } of compiled.matchAll(text)) {
      if (found === '') continue;
      result += text.slice(done, index) + replacement;
      done = index + found.length;
    }
    return result + text.slice(done);
  };
}
