import type { z } from 'zod';
import type { Context } from 'hono';
import { errorOfFault, jsonPath, unwrap } from '../../contract/fault.ts';
import type { Fault } from '../../model/fault.ts';
import { readBody, readParameters } from '../../contract/read-body.ts';
import { unknownFields } from '../../contract/unknown-fields.ts';
import { quoted } from '../../model/text.ts';
import { readJson } from './read-json.ts';
import { addWarning, appendSentence } from './warnings.ts';

/**
 * Reads a JSON body by its schema. Unknown fields are named in `warnings` and `svc-warning`, even when the body is refused for another
 * reason.
 * @throws GatelogError as `readJson`; 422 for an invalid body and, with `Svc-Strict: true`, for an unknown field.
 */
export async function readInput<Schema extends z.ZodType>(context: Context, schema: Schema): Promise<z.output<Schema>> {
  const body = await readJson(context);
  warnUnknownFields(context, schema, body);
  return unwrap(readBody(schema, body));
}

/** As {@link readInput}, but an empty body is the same as `{}`. */
export async function readOptionalInput<Schema extends z.ZodType>(context: Context, schema: Schema): Promise<z.output<Schema>> {
  const isEmpty = (await context.req.text()).trim() === '';
  return isEmpty ? unwrap(readBody(schema, {})) : readInput(context, schema);
}

/** As {@link readInput}, for query parameters. */
export function readQueryParameters<Schema extends z.ZodType>(context: Context, schema: Schema): z.output<Schema> {
  tellUnknown(context, { schema, input: context.req.query(), code: 'invalid_parameter', noun: 'parameter' });
  return unwrap(readParameters(schema, context.req.query()));
}

/** Warns of unknown fields in a body that is not read through its schema. */
export function warnUnknownFields(context: Context, schema: z.ZodType, body: unknown): void {
  tellUnknown(context, { schema, input: body, code: 'invalid_body', noun: 'field' });
}

interface Given {
  readonly schema: z.ZodType;
  readonly input: unknown;
  readonly code: Fault['code'];
  readonly noun: 'field' | 'parameter';
}

function tellUnknown(context: Context, { schema, input, code, noun }: Given): void {
  for (const { path, nearest } of unknownFields(schema, input)) {
    const meant = nearest === undefined ? '' : ` Did you mean \`${nearest}\`?`;
    const what = `${quoted(jsonPath(path))} is not a ${noun} of this endpoint`;
    if (isStrict(context)) throw errorOfFault({ code, path, message: `${what}.${meant} See /openapi.json.` });
    const sentence = `${what} and was ignored.${meant}`;
    addWarning(context, sentence);
    appendSentence(context, 'svc-warning', sentence);
  }
}

function isStrict(context: Context): boolean {
  return ['Svc-Strict', 'Helicone-Strict'].some((name) => context.req.header(name)?.trim().toLowerCase() === 'true');
}
