import { wellFormed } from '../../model/text.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';

const maxCharacters = 128;

/** A span's name as a level of a path: a slash would begin another. */
export function levelName(name: string): string {
  return wellFormed(name.trim().slice(0, maxCharacters)).replaceAll('/', '_');
}

/** The path of these levels, the outermost first, without empty ones. A path that is too long loses its outermost levels. */
export function pathOf(levels: readonly string[]): string {
  const named = levels.filter((level) => level !== '');
  let [start, bytes] = [named.length, 0];
  for (; start > 0; start -= 1) {
    bytes += 1 + Buffer.byteLength(named[start - 1] ?? '');
    if (bytes > textLimits.identifierBytes) break;
  }
  return `/${named.slice(start).join('/')}`;
}
