import type { Context } from 'hono';
import { GatelogError } from '../../model/errors.ts';
import { type JsonExcess, jsonExcess, maxJsonDepth } from '../../model/json/bounds.ts';
import { parseJson } from '../../model/text.ts';

/**
 * Maximum cost of parsing a body. The largest filter or price list costs a third of it; half a million names took a second, in which the
 * process served no other call.
 */
const maxBodyCost = 200_000;

/** Characters of the caller's media type in an error message. */
const maxShown = 100;

/** Reads a JSON body. @throws GatelogError 415 for another media type, 400 for invalid JSON, 413 from the body limit. */
export async function readJson(context: Context): Promise<unknown> {
  const mediaType = (context.req.header('Content-Type') ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType !== 'application/json' && !mediaType.endsWith('+json')) {
    const what = mediaType === '' ? 'The Content-Type names no media type' : `The body is declared as ${mediaType.slice(0, maxShown)}`;
    throw new GatelogError('unsupported_media_type', `${what}; send JSON with "Content-Type: application/json".`);
  }
  const text = await context.req.text();
  const excess = jsonExcess(text, maxBodyCost);
  const body = excess === undefined ? parseJson(text) : undefined;
  if (body === undefined) {
    throw new GatelogError('malformed_json', messageFor(text, excess));
  }
  return body;
}

function messageFor(text: string, excess: JsonExcess | undefined): string {
  if (text.trim() === '') return 'The body is empty; send the JSON object that this endpoint takes; see /openapi.json.';
  switch (excess) {
    case 'depth':
      return `The body nests lists and objects more than ${maxJsonDepth} levels deep; send what nests less.`;
    case 'cost':
      return 'The body has too many values; send them in several requests.';
    case undefined:
      return 'The body is not valid JSON.';
  }
}
