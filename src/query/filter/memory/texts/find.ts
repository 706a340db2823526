import { finished, type Steps, Work } from './work.ts';

/** The engine searches for so few characters in linear time, whatever they are. TRICKY: for longer texts its worst case is quadratic. */
const headCharacters = 8;
/** Searched in one go. */
const windowCharacters = 64 * 1024;
/** Units of a call of the engine's search. */
const callUnits = 64;
/** Units of a character that our own code looks at. */
export const unitsPerCharacter = 5;
/** Before comparisons in vain count. */
const slackUnits = 4096;

/**
 * The index of a text's first occurrence from a place on, or -1. Its time is linear in the text whatever is sought: the engine finds places
 * that begin alike, and where comparing these costs more than looking at each character once, the failure function of Knuth, Morris and
 * Pratt takes over.
 */
export function* indexIn(text: string, sought: string, from: number, work: Work): Steps<number> {
  if (sought === '') return from;
  const head = sought.slice(0, headCharacters);
  const lastStart = text.length - sought.length;
  const before = work.spent;
  for (let position = from; position <= lastStart;) {
    const end = Math.min(position + windowCharacters, lastStart + 1);
    const found = text.slice(position, end + head.length - 1).indexOf(head);
    const start = found === -1 ? end : position + found;
    const equal = found === -1 ? 0 : equalCharacters(text, start, sought);
    if (work.spend(start - position + callUnits + equal * unitsPerCharacter)) yield;
    if (equal === sought.length) return start;
    position = found === -1 ? end : start + 1;
    if (work.spent - before > 4 * (position - from) + slackUnits) return yield* byFailures(text, sought, position, work);
  }
  return -1;
}

/** Whether, and where, a text holds another, in linear time; -1 where it does not. */
export function indexWithin(text: string, sought: string): number {
  return finished(indexIn(text, sought, 0, new Work()));
}

/** How many characters of `sought` stand at a place of the text. */
function equalCharacters(text: string, at: number, sought: string): number {
  let equal = 0;
  while (equal < sought.length && text.charCodeAt(at + equal) === sought.charCodeAt(equal)) equal += 1;
  return equal;
}

function* byFailures(text: string, sought: string, from: number, work: Work): Steps<number> {
  const units = Uint16Array.from({ length: sought.length }, (_, index) => sought.charCodeAt(index));
  const failures = yield* failuresOf(units, work);
  let matched = 0;
  for (let position = from; position < text.length;) {
    const end = Math.min(position + windowCharacters, text.length);
    if (work.spend((end - position) * unitsPerCharacter)) yield;
    for (; position < end; position += 1) {
      matched = nextMatched(units, failures, matched, text.charCodeAt(position));
      if (matched === units.length) return position + 1 - matched;
    }
  }
  return -1;
}

/** For each beginning of a text, the length of the longest shorter one that it ends in. */
export function* failuresOf(units: ArrayLike<number>, work: Work): Steps<Int32Array> {
  const failures = new Int32Array(units.length);
  let matched = 0;
  for (let index = 1; index < units.length; index += 1) {
    matched = nextMatched(units, failures, matched, units[index] ?? 0);
    failures[index] = matched;
    if (index % windowCharacters === 0 && work.spend(windowCharacters * unitsPerCharacter)) yield;
  }
  if (work.spend((units.length % windowCharacters) * unitsPerCharacter)) yield;
  return failures;
}

/** How many units of the sought text end at the next unit, which was looked at. */
export function nextMatched(units: ArrayLike<number>, failures: Int32Array, before: number, next: number): number {
  let matched = before === units.length ? (failures[before - 1] ?? 0) : before;
  while (matched > 0 && units[matched] !== next) matched = failures[matched - 1] ?? 0;
  return units[matched] === next ? matched + 1 : matched;
}
