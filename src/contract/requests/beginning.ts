import { z } from 'zod';
import { requestItemSchema } from './item.ts';

/** Characters of each body that a beginning has. */
export const beginningLength = 32_768;

const bodyBeginningSchema = z
  .strictObject({
    kind: z.enum(['json', 'text', 'binary']).meta({ description: 'What the whole body is.' }),
    text: z.string().meta({ description: 'Its first characters, as JSON is written, and of bytes in base64.' }),
    content_type: z.string().meta({ description: 'Type of bytes; empty of JSON and text.' }),
    is_whole: z.boolean().meta({ description: 'False: the text goes on.' }),
  })
  .meta({ id: 'BodyBeginning', description: `The first ${beginningLength} characters of a body.` });

export type BodyBeginning = z.infer<typeof bodyBeginningSchema>;

export const requestBeginningAnswerSchema = z
  .object({
    data: z
      .strictObject({
        request: requestItemSchema,
        request_body: bodyBeginningSchema
          .nullable()
          .meta({ description: 'How the body of the request begins; null when it was not kept.' }),
        response_body: bodyBeginningSchema
          .nullable()
          .meta({ description: 'How the body of the response begins; null when it was not kept.' }),
      })
      .meta({ id: 'RequestBeginning', description: 'A request without its bodies, and how these begin.' }),
    error: z.null(),
  })
  .meta({ id: 'RequestBeginningAnswer' });

export type RequestBeginning = z.infer<typeof requestBeginningAnswerSchema>['data'];
