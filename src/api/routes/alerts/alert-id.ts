import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { GatelogError } from '../../../model/errors.ts';
import { parseUuid, type Uuid } from '../../../model/ids.ts';

export const alertIdParameter = z
  .string()
  .openapi({ param: { name: 'id', in: 'path' }, description: 'Identifier of the rule, as the list shows it.', format: 'uuid' });

/** @throws GatelogError `not_found` for a text that is no UUID. */
export function alertIdOf(context: Context): Uuid {
  const id = parseUuid(context.req.param('id') ?? '');
  if (id === undefined) throw unknownAlert();
  return id;
}

/** @throws GatelogError `not_found` without one. */
export function found<Found>(alert: Found | undefined): Found {
  if (alert === undefined) throw unknownAlert();
  return alert;
}

export function unknownAlert(): GatelogError {
  return new GatelogError('not_found', 'The organisation has no such rule; GET /v1/alerts lists them.');
}
