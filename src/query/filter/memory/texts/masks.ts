import { unitsAt } from './characters.ts';
import type { Steps, Work } from './work.ts';

const bits = 32;
const unitsPerWord = 2;
const unitsPerCharacter = 25;
const charactersInStep = 256;

/** Where each character may stand, a bit for each place. */
interface Masks {
  /** Wildcards alone. */
  readonly any: Int32Array;
  /** Of characters at many places, wildcards included. */
  readonly dense: ReadonlyMap<number, Int32Array>;
  /** The places of the others. */
  readonly sparse: ReadonlyMap<number, readonly number[]>;
}

export function wordsOf(characters: Int32Array): number {
  return Math.ceil(characters.length / bits);
}

/**
 * The search of Baeza-Yates and Gonnet: a bit for each beginning of what is sought tells whether the text so far ends in it. Only words up to
 * the longest such beginning are computed. @param characters code points, -1 for any. @returns the end of the first match from a place on.
 */
export function* findByMasks(text: string, characters: Int32Array, from: number, work: Work): Steps<number | undefined> {
  const masks = masksOf(characters);
  if (work.spend(characters.length * unitsPerCharacter + masks.dense.size * masks.any.length)) yield;
  const ending = new Ending(masks, characters.length);
  for (let position = from; position < text.length;) {
    let units = 0;
    for (let count = 0; count < charactersInStep && position < text.length; count += 1) {
      const character = text.codePointAt(position) ?? 0;
      position += unitsAt(text, position);
      units += ending.take(character);
      if (ending.isFull) return position;
    }
    if (work.spend(units)) yield;
  }
  return undefined;
}

function masksOf(characters: Int32Array): Masks {
  const words = wordsOf(characters);
  const any = new Int32Array(words);
  const positions = new Map<number, number[]>();
  for (const [position, character] of characters.entries()) {
    if (character < 0) setBit(any, position);
    else if (!positions.get(character)?.push(position)) positions.set(character, [position]);
  }
  // So that all masks together are not much larger than what is sought.
  const isDense = (own: readonly number[]): boolean => own.length * 8 > words;
  const dense = [...positions].filter(([, own]) => isDense(own)).map(([character, own]) => [character, maskOf(any, own)] as const);
  return { any, dense: new Map(dense), sparse: new Map([...positions].filter(([, own]) => !isDense(own))) };
}

function maskOf(any: Int32Array, positions: readonly number[]): Int32Array {
  const mask = any.slice();
  for (const position of positions) setBit(mask, position);
  return mask;
}

function setBit(words: Int32Array, position: number): void {
  const word = Math.floor(position / bits);
  words[word] = (words[word] ?? 0) | (1 << (position % bits));
}

/** The beginnings of what is sought that the text so far ends in. */
class Ending {
  private readonly masks: Masks;
  private readonly state: Int32Array;
  private readonly lastBit: number;
  /** No later word has a bit. */
  private lastWord = 0;

  constructor(masks: Masks, length: number) {
    this.masks = masks;
    this.state = new Int32Array(masks.any.length);
    this.lastBit = 1 << ((length - 1) % bits);
  }

  get isFull(): boolean {
    return ((this.state.at(-1) ?? 0) & this.lastBit) !== 0;
  }

  /** @returns units of work. */
  take(character: number): number {
    const { masks } = this;
    const sparse = masks.sparse.get(character);
    const kept = sparse?.filter((position) => position === 0 || this.has(position - 1)) ?? [];
    const last = Math.min(this.lastWord + 1, this.state.length - 1);
    this.lastWord = shiftAndMask(this.state, masks.dense.get(character) ?? masks.any, last);
    for (const position of kept) {
      setBit(this.state, position);
      this.lastWord = Math.max(this.lastWord, Math.floor(position / bits));
    }
    return unitsPerCharacter + (last + 1) * unitsPerWord + (sparse?.length ?? 0);
  }

  private has(position: number): boolean {
    return (((this.state[Math.floor(position / bits)] ?? 0) >>> (position % bits)) & 1) === 1;
  }
}

/** @param last word that may get a bit. @returns the last word that has one. */
function shiftAndMask(state: Int32Array, mask: Int32Array, last: number): number {
  let carry = 1;
  let lastWord = 0;
  for (let word = 0; word <= last; word += 1) {
    const before = state[word] ?? 0;
    const after = ((before << 1) | carry) & (mask[word] ?? 0);
    carry = before >>> (bits - 1);
    state[word] = after;
    if (after !== 0) lastWord = word;
  }
  return lastWord;
}
