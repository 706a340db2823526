import type { z } from 'zod';
import { newViewSchema, viewAnswerSchema, viewListSchema, viewsAnswerSchema } from '../../contract/dashboard/views.ts';
import { unwrap } from '../../contract/fault.ts';
import { doneSchema } from '../../contract/responses.ts';
import { dashboardLimits } from '../../model/dashboard/limits.ts';
import type { SavedView, View } from '../../model/dashboard/view.ts';
import { GatelogError } from '../../model/errors.ts';
import { bodyFault } from '../../model/fault.ts';
import { quoted } from '../../model/text.ts';
import { type DataOf, endpoint } from '../endpoint/endpoint.ts';
import { uuidParameter } from '../http/path-parameter.ts';

const exampleView = {
  name: 'Failed checkouts',
  page: 'requests',
  search: { q: 'status:>=500 properties.Team:checkout', range: '24h' },
} as const;

const id = uuidParameter('Identifier of the view, as the list shows it.', unknownView);

export const views = [
  endpoint({
    at: 'GET /v1/views',
    id: 'listViews',
    summary: 'List the saved views',
    text: 'States of pages of the dashboard under a name, which everybody in the organisation sees.',
    action: 'read',
    query: viewListSchema,
    answer: viewsAnswerSchema,
    answered: 'The views.',
    errors: [422],
    run: async ({ tenant, ports, query }) => (await ports.views.list(tenant, query.page)).map(itemOf),
  }),
  endpoint({
    at: 'POST /v1/views',
    id: 'addView',
    summary: 'Save a view',
    text: "Takes a key with the permission `rw` or `admin`. `search` holds the parameters of the page's address; the service keeps them as they are and does not read them.",
    action: 'update',
    body: newViewSchema,
    example: exampleView,
    answer: viewAnswerSchema,
    answered: 'Saved.',
    errors: [400, 413, 415, 422],
    run: async ({ tenant, ports, body }) => {
      const view = viewOf(body);
      return itemOf(storedView(await ports.views.add(tenant, view), view));
    },
  }),
  endpoint({
    at: 'PUT /v1/views/{id}',
    id: 'replaceView',
    summary: 'Replace a saved view',
    text: 'Takes a key with the permission `rw` or `admin`, and the whole view, as the list shows it. The last call wins.',
    action: 'update',
    params: { id },
    body: newViewSchema,
    example: { ...exampleView, name: 'Failed checkouts of the day' },
    answer: viewAnswerSchema,
    answered: 'Saved.',
    errors: [400, 404, 413, 415, 422],
    run: async ({ tenant, ports, params, body }) => {
      const view = viewOf(body);
      return itemOf(storedView(await ports.views.replace(tenant, params.id, view), view));
    },
  }),
  endpoint({
    at: 'DELETE /v1/views/{id}',
    id: 'deleteView',
    summary: 'Delete a saved view',
    text: 'Takes a key with the permission `rw` or `admin`.',
    action: 'update',
    params: { id },
    answer: doneSchema,
    answered: 'Deleted.',
    errors: [404, 413],
    run: async ({ tenant, ports, params }) => {
      if (!(await ports.views.remove(tenant, params.id))) throw unknownView();
      return null;
    },
  }),
];

function itemOf({ id: viewId, name, page, search, createdAt, changedAt }: SavedView): DataOf<typeof viewAnswerSchema> {
  return { id: viewId, name, page, search, created_at: new Date(createdAt).toISOString(), updated_at: new Date(changedAt).toISOString() };
}

/** What a caller gave, without what an earlier answer had beside it. */
function viewOf({ name, page, search }: z.output<typeof newViewSchema>): View {
  return { name, page, search };
}

function unknownView(): GatelogError {
  return new GatelogError('not_found', 'The organisation has no such view; GET /v1/views lists them.');
}

/** @returns what is stored. @throws GatelogError for a view that was refused. */
function storedView(outcome: SavedView | 'too_many' | 'name_taken' | 'unknown', { name, page }: View): SavedView {
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
