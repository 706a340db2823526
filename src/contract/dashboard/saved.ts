import { z } from 'zod';
import { dashboardLimits } from '../../model/dashboard/limits.ts';

/** Only what an earlier answer has beside the rest: it may be sent back. */
export const ignored = z.unknown().optional().meta({ description: 'As the answer shows it; ignored in what is sent.' });

/** A name or a title for people. */
export function nameSchema(field: string) {
  const max = dashboardLimits.nameCharacters;
  const sentence = `\`${field}\` takes 1 to ${max} characters, without control characters.`;
  return z
    .string(sentence)
    .trim()
    .refine((text) => text !== '' && Array.from(text).length <= max && !/\p{Cc}/u.test(text) && text.isWellFormed(), sentence)
    .meta({ minLength: 1, maxLength: max });
}

const time = (description: string) => z.string().meta({ format: 'date-time', description, example: '2026-01-31T12:00:00.000Z' });

/** What every saved thing shows. */
export const savedFields = {
  id: z.string().meta({ format: 'uuid' }),
  created_at: time('When it was saved.'),
  updated_at: time('When it was changed last.'),
};
