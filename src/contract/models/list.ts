import { z } from 'zod';

/** A model in the shape of OpenAI's list. */
const modelSchema = z
  .object({
    id: z.string().meta({ description: 'What to send as `model`.', example: 'anthropic/claude-sonnet-4-5' }),
    object: z.literal('model'),
    created: z.number().meta({ description: 'Always 0: it is not known.' }),
    owned_by: z.string().meta({ description: 'The provider.', example: 'anthropic' }),
  })
  .meta({ id: 'Model' });

export type ModelItem = Readonly<z.infer<typeof modelSchema>>;

export const modelsAnswerSchema = z
  .object({ object: z.literal('list'), data: z.array(modelSchema), error: z.null() })
  .meta({ id: 'ModelsAnswer' });
