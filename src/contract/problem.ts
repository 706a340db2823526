import { z } from 'zod';
import { apiErrorCodes } from '../model/errors.ts';

/** Every failure of the API: `error` is a sentence that says what is wrong and what to write instead. */
export const problemSchema = z
  .object({
    data: z.null().meta({ description: 'Always null in a failure.' }),
    error: z
      .string()
      .meta({ description: 'What is wrong, and what to write instead.', example: '`limit` takes a whole number from 0 to 1000.' }),
    code: z.enum(apiErrorCodes).meta({ description: 'Stable code of the failure; clients may switch on it.', example: 'invalid_body' }),
    details: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({
        description:
          'The place of the fault as a JSON path into the body or, with `invalid_parameter`, the name of the parameter; and what helps to fix it.',
        example: { path: 'limit' },
      }),
  })
  .meta({ id: 'Problem', description: 'A failure.' });

export type Problem = z.infer<typeof problemSchema>;
