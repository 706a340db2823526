import { redactionLimits } from '../../../src/model/redaction-rule.ts';
import { formatCount } from '../../lib/format.ts';

const { patternCharacters, replacementCharacters } = redactionLimits;

/** What is wrong with the texts of a redaction rule as they are typed; space around them is a part of them. */
export function ruleFaults(pattern: string, replacement: string): Readonly<Record<'pattern' | 'replacement', string | undefined>> {
  return { pattern: longFault(pattern, patternCharacters), replacement: longFault(replacement, replacementCharacters) };
}

/** TRICKY: of these texts the API counts UTF-16 units. */
function longFault(text: string, most: number): string | undefined {
  return text.length > most ? `Write at most ${formatCount(most)} characters.` : undefined;
}
