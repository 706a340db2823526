import { z } from '@hono/zod-openapi';
import { apiErrorCodes } from '../model/errors.ts';

/** Every failure of the API: `error` is a sentence that says what is wrong and what to write instead. */
export const problemSchema = z
  .object({
    data: z.null().openapi({ description: 'Always null in a failure.' }),
    error: z
      .string()
      .openapi({ description: 'What is wrong, and what to write instead.', example: '`limit` takes a whole number from 0 to 1000.' }),
    code: z.enum(apiErrorCodes).openapi({ description: 'Stable code of the failure; clients may switch on it.', example: 'invalid_body' }),
    details: z
      .record(z.string(), z.unknown())
      .optional()
      .openapi({
        description:
          'The place of the fault as a JSON path into the body or, with `invalid_parameter`, the name of the parameter; and what helps to mend it.',
        example: { path: 'limit' },
      }),
  })
  .openapi('Problem', { description: 'A failure.' });

export type Problem = z.infer<typeof problemSchema>;
