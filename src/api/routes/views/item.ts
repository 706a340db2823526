import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { newViewSchema } from '../../../contract/dashboard/views.ts';
import { unwrap } from '../../../contract/fault.ts';
import { dashboardLimits } from '../../../model/dashboard/limits.ts';
import type { SavedView, View } from '../../../model/dashboard/view.ts';
import { GatelogError } from '../../../model/errors.ts';
import { bodyFault } from '../../../model/fault.ts';
import { parseUuid, type Uuid } from '../../../model/ids.ts';
import { quoted } from '../../../model/text.ts';

export const viewIdParameter = z
  .string()
  .openapi({ param: { name: 'id', in: 'path' }, description: 'Identifier of the view, as the list shows it.', format: 'uuid' });

export function itemOf({ id, name, page, search, createdAt, changedAt }: SavedView): object {
  return { id, name, page, search, created_at: new Date(createdAt).toISOString(), updated_at: new Date(changedAt).toISOString() };
}

/** What a caller gave, without what an earlier answer had beside it. */
export function viewOf({ name, page, search }: z.output<typeof newViewSchema>): View {
  return { name, page, search };
}

/** @throws GatelogError `not_found` for a text that is no UUID. */
export function viewIdOf(context: Context): Uuid {
  const id = parseUuid(context.req.param('id') ?? '');
  if (id === undefined) throw unknownView();
  return id;
}

export function unknownView(): GatelogError {
  return new GatelogError('not_found', 'The organisation has no such view; GET /v1/views lists them.');
}

/** @returns what is stored. @throws GatelogError for a view that was refused. */
export function storedView(outcome: SavedView | 'too_many' | 'name_taken' | 'unknown', { name, page }: View): SavedView {
  switch (outcome) {
    case 'unknown':
      throw unknownView();
    case 'too_many':
      return unwrap(
        bodyFault([], `An organisation saves at most ${dashboardLimits.views} views; delete one first (DELETE /v1/views/{id}).`),
      );
    case 'name_taken':
      return unwrap(bodyFault(['name'], `There is a view of the page ${page} called ${quoted(name)} already; write another name.`));
    default:
      return outcome;
  }
}
