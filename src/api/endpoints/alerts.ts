import {
  alertAnswerSchema,
  alertHistoryAnswerSchema,
  alertIncidentsAnswerSchema,
  alertPreviewAnswerSchema,
  alertsAnswerSchema,
  alertStatesAnswerSchema,
  alertTestAnswerSchema,
  type AlertView,
  incidentsAnswerSchema,
} from '../../contract/events/alert-answers.ts';
import { alertPageSchema } from '../../contract/events/alert-pages.ts';
import { newAlertSchema, previewRangeOf, previewSchema, ruleOf } from '../../contract/events/alerts.ts';
import { alertDeliveriesAnswerSchema } from '../../contract/events/deliveries.ts';
import { unwrap } from '../../contract/fault.ts';
import { doneSchema } from '../../contract/responses.ts';
import { GatelogError } from '../../model/errors.ts';
import { may, type Principal } from '../../model/principal.ts';
import { type DataOf, endpoint } from '../endpoint/endpoint.ts';
import { uuidParameter } from '../http/path-parameter.ts';
import { changeVersion, ifMatchSchema, setVersion, versionHeader } from '../page/versions.ts';

const exampleRule = {
  name: 'Spend of a tenant',
  metric: 'cost',
  threshold: 20,
  time_window: 3_600_000,
  grouping: [{ property: 'Tenant' }],
  channels: [{ type: 'email', to: 'ops@example.com' }],
} as const;

const id = uuidParameter('Identifier of the rule, as the list shows it.', unknownAlert);
/** As text: the faults of a page come before that of its rule. */
const idText = { schema: id.schema, read: (text: string) => text };

export const alerts = [
  endpoint({
    at: 'POST /v1/alerts/preview',
    id: 'previewAlert',
    summary: 'Try a rule on stored requests',
    text: 'What the rule would have done, by the states that a stored rule goes through: its values, and the incidents. A long range is stepped through more coarsely, and of very many groups those with the most requests are followed; the answer says so. One preview of an organisation runs at a time and three wait; beyond them 429.',
    action: 'read',
    body: previewSchema,
    example: { rule: exampleRule, timeFilter: { startTimeUnixMs: 1_767_225_600_000, endTimeUnixMs: 1_767_312_000_000 } },
    answer: alertPreviewAnswerSchema,
    answered: 'Values and incidents.',
    errors: [400, 413, 415, 422, 504],
    run: async ({ tenant, ports, body, signal }) => {
      const range = unwrap(previewRangeOf(body, ports.alerts.now()));
      return unwrap(await ports.alerts.preview(tenant, body.rule, range, signal));
    },
  }),
  endpoint({
    at: 'POST /v1/alerts',
    id: 'addAlert',
    summary: 'Store a rule that alerts',
    text: 'Takes a key with the permission `admin`. The rule is evaluated every ten seconds from then on; `POST /v1/alerts/preview` shows before what it would have done.',
    action: 'administer',
    body: newAlertSchema,
    example: exampleRule,
    answer: alertAnswerSchema,
    answered: 'Stored.',
    errors: [400, 413, 415, 422],
    run: async ({ tenant, ports, body }) => unwrap(await ports.alerts.add(tenant, ruleOf(body))),
  }),
  endpoint({
    at: 'GET /v1/alerts',
    id: 'listAlerts',
    summary: 'List the rules that alert',
    text: 'Newest first, each with its state.',
    action: 'read',
    query: alertPageSchema,
    answer: alertsAnswerSchema,
    answered: 'The page.',
    errors: [422],
    run: async ({ tenant, principal, ports, query }) => (await ports.alerts.list(tenant, query)).map((alert) => itemOf(alert, principal)),
  }),
  endpoint({
    at: 'GET /v1/alerts/{id}',
    id: 'getAlert',
    summary: 'Read a rule that alerts',
    action: 'read',
    params: { id },
    answer: alertAnswerSchema,
    answered: 'The rule, with its state.',
    headers: versionHeader,
    errors: [404],
    run: async ({ context, tenant, principal, ports, params }) => {
      const alert = found(await ports.alerts.find(tenant, params.id));
      // A version tells who tries what is left out of it; only who may change a rule has a use for it.
      if (may(principal, 'administer')) setVersion(context, ruleIn(alert));
      return itemOf(alert, principal);
    },
  }),
  endpoint({
    at: 'PUT /v1/alerts/{id}',
    id: 'replaceAlert',
    summary: 'Replace a rule that alerts',
    text: 'Takes a key with the permission `admin`, and the whole rule, as `GET` shows it; what is left out is no longer set. A channel with its `id` stays as it is. A rule that measures something else than before ends its incidents and starts over; any other change keeps them. `mute_until` mutes. With `If-Match` it overwrites no change of somebody else.',
    action: 'administer',
    params: { id },
    requestHeaders: ifMatchSchema,
    body: newAlertSchema,
    example: { ...exampleRule, mute_until: '2026-02-01T08:00:00Z' },
    answer: alertAnswerSchema,
    answered: 'Stored.',
    headers: versionHeader,
    errors: [400, 404, 409, 413, 415, 422],
    run: ({ context, tenant, ports, params, body }) =>
      changeVersion({
        context,
        tenant,
        present: async () => ruleIn(found(await ports.alerts.find(tenant, params.id))),
        change: async () => unwrap(found(await ports.alerts.replace(tenant, params.id, ruleOf(body)))),
      }),
  }),
  endpoint({
    at: 'DELETE /v1/alerts/{id}',
    id: 'deleteAlert',
    summary: 'Delete a rule that alerts',
    text: 'Takes a key with the permission `admin`. Its incidents and its history go with it, and nothing more is sent.',
    action: 'administer',
    params: { id },
    answer: doneSchema,
    answered: 'Deleted.',
    errors: [404, 413],
    run: async ({ tenant, ports, params }) => {
      if (!(await ports.alerts.remove(tenant, params.id))) throw unknownAlert();
      return null;
    },
  }),
  endpoint({
    at: 'GET /v1/alerts/{id}/states',
    id: 'listAlertStates',
    summary: 'State of each group of a rule',
    text: 'The most severe first.',
    action: 'read',
    params: { id: idText },
    query: alertPageSchema,
    answer: alertStatesAnswerSchema,
    answered: 'The page.',
    errors: [404, 422],
    run: ({ tenant, ports, params, query }) => found(ports.alerts.states(tenant, id.read(params.id), query)),
  }),
  endpoint({
    at: 'GET /v1/alerts/{id}/incidents',
    id: 'listAlertIncidents',
    summary: 'Incidents of a rule',
    text: 'Newest first; those that ended are kept for 30 days.',
    action: 'read',
    params: { id: idText },
    query: alertPageSchema,
    answer: alertIncidentsAnswerSchema,
    answered: 'The page.',
    errors: [404, 422],
    run: async ({ tenant, ports, params, query }) => found(await ports.alerts.incidents(tenant, id.read(params.id), query)),
  }),
  endpoint({
    at: 'GET /v1/incidents',
    id: 'listIncidents',
    summary: 'Incidents of every rule',
    text: 'Newest first; those that ended are kept for 30 days.',
    action: 'read',
    query: alertPageSchema,
    answer: incidentsAnswerSchema,
    answered: 'The page.',
    errors: [422],
    run: ({ tenant, ports, query }) => ports.alerts.allIncidents(tenant, query),
  }),
  endpoint({
    at: 'GET /v1/alerts/{id}/history',
    id: 'listAlertHistory',
    summary: 'History of a rule',
    text: 'Newest first; kept for 30 days, 1,000 rows of a rule.',
    action: 'read',
    params: { id: idText },
    query: alertPageSchema,
    answer: alertHistoryAnswerSchema,
    answered: 'The page.',
    errors: [404, 422],
    run: async ({ tenant, ports, params, query }) => found(await ports.alerts.history(tenant, id.read(params.id), query)),
  }),
  endpoint({
    at: 'GET /v1/alerts/{id}/deliveries',
    id: 'listAlertDeliveries',
    summary: 'Messages of a rule',
    text: 'Newest first, each with how its last attempt ended: to the channels of the rule, and to webhooks that ask for the events of all rules. The log of a webhook has all attempts of what went to it.',
    action: 'read',
    params: { id: idText },
    query: alertPageSchema,
    answer: alertDeliveriesAnswerSchema,
    answered: 'The page.',
    errors: [404, 422],
    run: async ({ tenant, ports, params, query }) => found(await ports.alerts.deliveries(tenant, id.read(params.id), query)),
  }),
  endpoint({
    at: 'POST /v1/alerts/{id}/test',
    id: 'testAlert',
    summary: 'Send a test message to the channels of a rule',
    text: 'Takes a key with the permission `admin`. The message says that it is a test; no state changes. At most one a second.',
    action: 'administer',
    params: { id },
    answer: alertTestAnswerSchema,
    answered: 'On its way.',
    errors: [404, 413, 422],
    run: async ({ tenant, ports, params }) => ({ channels: unwrap(found(await ports.alerts.test(tenant, params.id))) }),
  }),
];

/** Without what changes by itself. */
function ruleIn({ status: _status, ...rule }: AlertView): object {
  return rule;
}

/** A rule as it is shown: characters of a key only to who may administer it. */
function itemOf(alert: AlertView, principal: Principal): DataOf<typeof alertAnswerSchema> {
  if (may(principal, 'administer')) return alert;
  const channels = alert.channels.map((channel) => (channel.routingKey === undefined ? channel : { ...channel, routingKey: '…' }));
  return { ...alert, channels };
}

/** @throws GatelogError `not_found` without one. */
function found<Found>(alert: Found | undefined): Found {
  if (alert === undefined) throw unknownAlert();
  return alert;
}

function unknownAlert(): GatelogError {
  return new GatelogError('not_found', 'The organisation has no such rule; GET /v1/alerts lists them.');
}
