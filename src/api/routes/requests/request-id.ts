import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { GatelogError } from '../../../model/errors.ts';
import { parseUuid, type RequestId } from '../../../model/ids.ts';

export const requestIdParameter = z
  .string()
  .refine((text) => parseUuid(text) !== undefined)
  .openapi({
    param: { name: 'id', in: 'path' },
    description: 'Identifier of the request, the value of the response header svc-id.',
    format: 'uuid',
  });

/** The identifier in the path, accepted in any case. @throws GatelogError `not_found` for a text that is no UUID. */
export function requestIdOf(context: Context): RequestId {
  const text = context.req.param('id') ?? '';
  const id = parseUuid(text);
  if (id === undefined) {
    throw new GatelogError('not_found', 'No such request: an identifier is a UUID, the value of the response header svc-id.');
  }
  return id;
}
