import type { z } from 'zod';
import { type Fault, type Result, success } from '../model/fault.ts';

/**
 * Parses a decoded JSON body by its schema and reports the first fault: callers fix one at a time. Our schemas carry their own sentences;
 * zod's appear only where a schema has none.
 */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): Result<z.output<Schema>> {
  return read(schema, body, 'invalid_body');
}

/** Parses the parameters of an address, as {@link readBody} does a body. */
export function readParameters<Schema extends z.ZodType>(
  schema: Schema,
  parameters: Readonly<Record<string, string>>,
): Result<z.output<Schema>> {
  return read(schema, parameters, 'invalid_parameter');
}

function read<Schema extends z.ZodType>(schema: Schema, input: unknown, code: Fault['code']): Result<z.output<Schema>> {
  const outcome = schema.safeParse(input);
  if (outcome.success) return success(outcome.data);
  const issue = outcome.error.issues[0];
  const path = (issue?.path ?? []).map((key) => (typeof key === 'symbol' ? String(key) : key));
  return { ok: false, fault: { code, path, message: issue?.message ?? 'The body is not valid.' } };
}
