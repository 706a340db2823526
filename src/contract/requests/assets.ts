import { z } from '@hono/zod-openapi';

export const assetAnswerSchema = z.object({ data: z.object({ assetUrl: z.string() }), error: z.null() }).openapi('AssetAnswer');
