import { RE2JS } from 're2js';
import { messageOf } from '../model/errors.ts';
import { redactionLimits } from '../model/redaction-rule.ts';

export type ReplaceMatches = (text: string, replacement: string) => string;

/** Told after each search how many steps it may have taken: characters times instructions of the pattern. May throw, to end the work. */
export type OnSearch = (steps: number) => void;

/** Smaller ones take as long as these. */
const minPatternSize = 12;

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
 * Compiles a pattern with RE2, where each search runs in linear time. Finding all matches may still take quadratic time, where each match is
 * short and only the end of the text decides it. @throws when the pattern is invalid.
 */
export function compilePattern(pattern: string, onSearch: OnSearch = () => undefined): ReplaceMatches {
  const compiled = RE2JS.compile(pattern);
  const size = Math.max(minPatternSize, compiled.programSize());
  return (text, replacement) => {
    // Most texts have no match, and the test costs a tenth of the search.
    const hasMatch = compiled.test(text);
    onSearch(text.length * size);
    if (!hasMatch) return text;
    const matcher = compiled.matcher(text);
    let result = '';
    let done = 0;
    let from = 0;
    while (matcher.find()) {
      onSearch((text.length - from) * size);
      from = matcher.end();
      if (from === matcher.start()) continue;
      result += text.slice(done, matcher.start()) + replacement;
      done = from;
    }
    onSearch((text.length - from) * size);
    return result + text.slice(done);
  };
}
