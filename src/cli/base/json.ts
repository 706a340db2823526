import { writeExactly } from '../../model/json/exact-numbers.ts';

/** JSON in which no character moves a terminal's cursor or turns its direction: JSON itself leaves some as they are. */
export function jsonText(value: unknown, indent?: number): string {
  return writeExactly(value, indent).replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
