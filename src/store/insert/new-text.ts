import type { Span } from './spans.ts';

/** At most so many places of new text are told apart; the store's index names each of them. */
export const maxNewSpans = 3;
/** All of a text, whatever its length. */
export const allOfText: Span = [1, 2 ** 32 - 1];
export const noText: Span = [1, 0];

/** Bytes that are compared at once before single ones are. */
const blockBytes = 4096;
/** A repeated piece that is shorter is not worth a place of its own. */
const minRepeatedBytes = 1024;
const soughtBytes = 48;
/** How far behind the first difference the text may go on as before: each is tried, the nearest first. */
const soughtAt = [32, 256, 2048, 16_384, 65_536] as const;

/**
 * Finds what a text says that an earlier one does not. The turns of a conversation repeat all that was said before, behind it the tools,
 * and have a few new places, mostly one.
 *
 * Each word of `text`, a run of ASCII letters, digits and all bytes beyond ASCII, stands whole in one of the places, or stands in `earlier`
 * as well: there alone, or as a part of a longer word.
 * @returns places in ascending order.
 */
export function newSpans(earlier: Buffer, text: Buffer): readonly Span[] {
  const found: Place[] = [];
  let from = 0;
  let earlierFrom = 0;
  for (;;) {
    const same = commonStart(earlier, earlierFrom, text, from);
    const start = from + same;
    if (start === text.length) break;
    const isLast = found.length === maxNewSpans - 1;
    const again = isLast ? undefined : nextRepeated(earlier, earlierFrom + same, text, start);
    if (again === undefined) {
      found.push([start, text.length - commonEnd(earlier, text, start) - start]);
      break;
    }
    found.push([start, again.at - start]);
    [from, earlierFrom] = [again.at, again.earlierAt];
  }
  return joined(found.map((place) => wholeWords(text, place))).map(([start, bytes]) => [start + 1, bytes]);
}

/** An offset from 0, and a number of bytes. */
type Place = readonly [start: number, bytes: number];

/** The number of equal bytes from two places on. */
function commonStart(earlier: Buffer, earlierFrom: number, text: Buffer, from: number): number {
  const max = Math.min(earlier.length - earlierFrom, text.length - from);
  let same = 0;
  while (same + blockBytes <= max && isSameBlock(earlier, earlierFrom + same, text, from + same)) same += blockBytes;
  while (same < max && earlier[earlierFrom + same] === text[from + same]) same += 1;
  return same;
}

/** The number of equal bytes at both ends. @param notBefore in `text`. */
function commonEnd(earlier: Buffer, text: Buffer, notBefore: number): number {
  const max = Math.min(earlier.length, text.length - notBefore);
  let same = 0;
  while (same + blockBytes <= max && isSameBlock(earlier, earlier.length - same - blockBytes, text, text.length - same - blockBytes)) {
    same += blockBytes;
  }
  while (same < max && earlier[earlier.length - 1 - same] === text[text.length - 1 - same]) same += 1;
  return same;
}

function isSameBlock(earlier: Buffer, earlierFrom: number, text: Buffer, from: number): boolean {
  return earlier.compare(text, from, from + blockBytes, earlierFrom, earlierFrom + blockBytes) === 0;
}

/** Where both go on alike behind a difference, for long enough; undefined where they do not, or not soon. */
function nextRepeated(
  earlier: Buffer,
  earlierFrom: number,
  text: Buffer,
  from: number,
): { readonly at: number; readonly earlierAt: number } | undefined {
  for (const distance of soughtAt) {
    const sought = text.subarray(from + distance, from + distance + soughtBytes);
    if (sought.length < soughtBytes) return undefined;
    const found = earlier.indexOf(sought, earlierFrom);
    if (found === -1) continue;
    // The piece may begin in front of what was sought, and ends somewhere behind it.
    let back = 0;
    while (back < distance && found - back > earlierFrom && earlier[found - back - 1] === text[from + distance - back - 1]) back += 1;
    const [at, earlierAt] = [from + distance - back, found - back];
    if (commonStart(earlier, earlierAt, text, at) >= minRepeatedBytes) return { at, earlierAt };
  }
  return undefined;
}

/** The place, and the rest of words that it cuts. */
function wholeWords(text: Buffer, [from, bytes]: Place): Place {
  let [start, end] = [from, from + bytes];
  while (cutsWord(text, start)) start -= 1;
  while (cutsWord(text, end)) end += 1;
  return [start, end - start];
}

function cutsWord(text: Buffer, at: number): boolean {
  return isOfWord(text[at - 1]) && isOfWord(text[at]);
}

function joined(places: readonly Place[]): readonly Place[] {
  const all: Place[] = [];
  for (const [start, bytes] of places) {
    const last = all.at(-1);
    if (last !== undefined && start <= last[0] + last[1]) all[all.length - 1] = [last[0], Math.max(last[1], start + bytes - last[0])];
    else if (bytes > 0) all.push([start, bytes]);
  }
  return all;
}

const [zero, nine, upperA, upperZ, lowerA, lowerZ, firstBeyondAscii] = [0x30, 0x39, 0x41, 0x5a, 0x61, 0x7a, 0x80];

function isOfWord(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (
    (byte >= zero && byte <= nine) || (byte >= upperA && byte <= upperZ) || (byte >= lowerA && byte <= lowerZ) || byte >= firstBeyondAscii
  );
}
