import type { Context } from 'hono';
import { GatelogError } from '../model/errors.ts';
import { parseJson } from '../model/text.ts';

/**
 * Reads a JSON body.
 * @throws GatelogError 415 for another media type, 400 for what is not JSON, 413 from the limit on the way.
 */
export async function readJson(context: Context): Promise<unknown> {
  const mediaType = (context.req.header('Content-Type') ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType !== 'application/json' && !mediaType.endsWith('+json')) {
    throw new GatelogError('unsupported_media_type', `The body is ${mediaType}; send JSON with "Content-Type: application/json".`);
  }
  const text = await context.req.text();
  const body = parseJson(text);
  if (body === undefined) {
    throw new GatelogError(
      'malformed_json',
      text.trim() === '' ? 'The body is empty; send a JSON object such as {"filter": {}}.' : 'The body is not valid JSON.',
    );
  }
  return body;
}
