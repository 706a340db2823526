import { z } from '@hono/zod-openapi';
import { unwrap } from '../../../contract/fault.ts';
import { doneSchema } from '../../../contract/responses.ts';
import { alertLimits } from '../../../model/events/alert-vocabulary.ts';
import { bodyFault } from '../../../model/fault.ts';
import type { OrganizationId, Uuid } from '../../../model/ids.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import type { ApiPorts } from '../../ports.ts';
import { foundWebhook, webhookIdOf, webhookIdParameter } from './item.ts';

export const deleteWebhook: Endpoint = {
  declaration: {
    method: 'delete',
    path: '/v1/webhooks/{id}',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description:
      'Takes a key with the permission `admin`. Its pending deliveries and its log go with it. A webhook that is a channel of an alert rule is not deleted.',
    security: keyRequired,
    request: { params: z.object({ id: webhookIdParameter }) },
    responses: { 200: { description: 'Deleted.', content: jsonContent(doneSchema) }, ...problems(404, 413, 422) },
  },
  action: 'administer',
  handle: async ({ context, principal, ports }) => {
    await refuseTold(principal.organizationId, webhookIdOf(context), ports);
    const isRemoved = await ports.webhooks.remove(principal.organizationId, webhookIdOf(context));
    return sendData(context, foundWebhook(isRemoved ? null : undefined));
  },
};

const maxNamed = 5;

/** Rules that tell a webhook would go on to fire, and nobody would be told. @throws GatelogError 422 for such a webhook. */
async function refuseTold(organizationId: OrganizationId, id: Uuid, { alerts }: Pick<ApiPorts, 'alerts'>): Promise<void> {
  const rules = await alerts.list(organizationId, { limit: alertLimits.rules, offset: 0 });
  const telling = rules.filter(({ channels }) => channels.some(({ webhookId }) => webhookId === id));
  if (telling.length === 0) return;
  const names = telling.slice(0, maxNamed).map(({ name }) => JSON.stringify(name));
  const more = telling.length > maxNamed ? ` and ${telling.length - maxNamed} more` : '';
  unwrap(
    bodyFault(
      [],
      `The webhook is a channel of alert rules: ${names.join(', ')}${more}. Give them other channels first (PUT /v1/alerts/{id}), or delete them.`,
    ),
  );
}
