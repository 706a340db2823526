import type { z } from '@hono/zod-openapi';
import { bodyFault, type Result } from './fault.ts';

/**
 * Reads a decoded JSON body by its schema. The first thing that is wrong becomes the fault: callers mend one place at a time.
 * Our schemas carry sentences of their own; what zod says stands only where a schema has none.
 */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): Result<z.output<Schema>> {
  const read = schema.safeParse(body);
  if (read.success) return { ok: true, value: read.data };
  const issue = read.error.issues[0];
  const path = (issue?.path ?? []).map((key) => (typeof key === 'symbol' ? String(key) : key));
  return bodyFault(path, issue?.message ?? 'The body is not valid.');
}
