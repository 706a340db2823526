import { z } from '@hono/zod-openapi';

/** A model in the shape of OpenAI's list. */
const modelSchema = z
  .object({
    id: z.string().openapi({ description: 'What to send as `model`.', example: 'anthropic/claude-sonnet-4-5' }),
    object: z.literal('model'),
    created: z.number().openapi({ description: '0: nobody knows it.' }),
    owned_by: z.string().openapi({ description: 'The provider.', example: 'anthropic' }),
  })
  .openapi('Model');

export type ModelItem = Readonly<z.infer<typeof modelSchema>>;

export const modelsAnswerSchema = z
  .object({ object: z.literal('list'), data: z.array(modelSchema), error: z.null() })
  .openapi('ModelsAnswer');
