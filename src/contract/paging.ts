import { z } from 'zod';

export const maxLimit = 1_000;

export const limitMessage = `\`limit\` takes a whole number from 0 to ${maxLimit}.`;
export const offsetSentence = '`offset` takes a whole number, 0 or more.';

interface IntegerBounds {
  readonly sentence: string;
  readonly max: number;
  readonly without: number;
  readonly description: string;
}

/** A whole number in the address, as text; the document shows the number. */
export function integer(given: IntegerBounds) {
  return z
    .string()
    .regex(/^\d{1,15}$/, given.sentence)
    .transform(Number)
    .refine((value) => value <= given.max, given.sentence)
    .default(given.without)
    .meta({ type: 'integer', minimum: 0, maximum: given.max, default: given.without, description: given.description });
}
