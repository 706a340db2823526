import { z } from 'zod';

export const assetAnswerSchema = z.object({ data: z.object({ assetUrl: z.string() }), error: z.null() }).meta({ id: 'AssetAnswer' });
