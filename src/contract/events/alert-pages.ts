import { z } from 'zod';
import { limitMessage, maxLimit, offsetSentence, integer } from '../paging.ts';

/** A page of what a rule has. */
export const alertPageSchema = z.object({
  limit: integer({ sentence: limitMessage, max: maxLimit, without: 100, description: `Rows of the page, at most ${maxLimit}.` }),
  offset: integer({ sentence: offsetSentence, max: 1e15, without: 0, description: 'First row of the page, counted from 0.' }),
});
