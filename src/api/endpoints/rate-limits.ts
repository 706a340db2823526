import type { z } from 'zod';
import { unwrap } from '../../contract/fault.ts';
import { limitUsageAnswerSchema } from '../../contract/settings/limit-usage.ts';
import { limitOfRuleSentence, rateLimitsAnswerSchema, rateLimitsSchema } from '../../contract/settings/rate-limits.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { StoredLimit } from '../../metadata/organization/rate-limits.ts';
import { bodyFault } from '../../model/fault.ts';
import { limitUsage } from '../page/limit-usage.ts';
import { type DataOf, endpoint } from '../endpoint/endpoint.ts';
import type { ApiPorts } from '../endpoint/ports.ts';
import { changeVersion, ifMatchSchema, setVersion, versionHeader } from '../page/versions.ts';

export const rateLimits = [
  endpoint({
    at: 'GET /v1/rate-limits',
    id: 'getRateLimits',
    summary: 'Get the limits of the organisation',
    text: 'They hold for every call through the gateway, beside the one that a call may bring in `Svc-RateLimit-Policy`. Those of alert rules with `enforce` come last, with their `alert_id`.',
    action: 'read',
    answer: rateLimitsAnswerSchema,
    answered: 'The limits.',
    headers: versionHeader,
    run: async ({ context, tenant, ports }) => {
      const limits = await ports.rateLimits.list(tenant);
      setVersion(context, ownOf(limits));
      return limits.map(itemOf);
    },
  }),
  endpoint({
    at: 'GET /v1/rate-limits/usage',
    id: 'getLimitUsage',
    summary: 'How full the limits of the organisation are',
    text: 'By the record, so requests that are not stored yet are missing. Of a window that begins with a call it adds up the length of the window before now, which may be more than the gateway counts.',
    action: 'read',
    answer: limitUsageAnswerSchema,
    answered: 'The limits with their fullest segments.',
    errors: [504],
    run: async (call) => [...(await limitUsage(call, await call.ports.rateLimits.list(call.tenant)))],
  }),
  endpoint({
    at: 'PUT /v1/rate-limits',
    id: 'replaceRateLimits',
    summary: 'Replace the limits of the organisation',
    text: 'Takes a key with the permission `admin`. A call that a limit refuses is answered 429 by the gateway. Of several limits the strictest decides. A budget (`u=cents`) sets the most that a call may cost aside before it is made and settles once its cost is known. Limits of alert rules (`alert_id`) stay as they are. With `If-Match` it overwrites no change of somebody else.',
    action: 'administer',
    requestHeaders: ifMatchSchema,
    body: rateLimitsSchema,
    example: [
      { policy: '5000;calendar=day;tz=Europe/Berlin;u=cents' },
      { policy: '500;w=3600;u=cents;s=Team' },
      { policy: '2000;calendar=day;u=cents;s=Team', value: 'search' },
    ],
    answer: rateLimitsAnswerSchema,
    answered: 'Replaced.',
    headers: versionHeader,
    errors: [400, 409, 413, 415, 422],
    run: ({ context, tenant, ports, body }) =>
      changeVersion({
        context,
        tenant,
        present: async () => ownOf(await ports.rateLimits.list(tenant)),
        change: () => replaceLimits(tenant, ports, body),
      }),
  }),
];

async function replaceLimits(
  tenant: OrganizationId,
  ports: Pick<ApiPorts, 'rateLimits'>,
  body: z.output<typeof rateLimitsSchema>,
): Promise<DataOf<typeof rateLimitsAnswerSchema>> {
  const given = body.map((limit, index) => ({ ...limit, index }));
  const ofRules = (await ports.rateLimits.list(tenant)).filter(({ rule }) => rule !== undefined);
  const strange = given.find(
    ({ alert_id: id, policy }) => id !== undefined && !ofRules.some((limit) => limit.rule?.id === id && limit.policy === policy),
  );
  if (strange !== undefined) unwrap(bodyFault([strange.index, 'alert_id'], limitOfRuleSentence));
  const own = given.filter(({ alert_id: id }) => id === undefined);
  const limits = own.map(({ policy, value, key_id: keyId }): StoredLimit => ({
    policy,
    ...valueMember(value),
    keyId: keyId?.toLowerCase() ?? null,
  }));
  const refused = await ports.rateLimits.replace(tenant, limits);
  if (refused !== undefined) {
    const place = own.find(({ key_id: keyId }) => keyId?.toLowerCase() === refused.unknownKey)?.index ?? 0;
    unwrap(bodyFault([place, 'key_id'], 'The organisation has no such key; `gatelog keys list` shows the identifiers of its keys.'));
  }
  return [...limits, ...ofRules].map(itemOf);
}

/** Those of rules change with their rules. */
function ownOf(limits: readonly StoredLimit[]): readonly object[] {
  return limits.filter(({ rule }) => rule === undefined).map(itemOf);
}

function itemOf({ policy, value, keyId, rule }: StoredLimit): DataOf<typeof rateLimitsAnswerSchema>[number] {
  return { policy, ...valueMember(value), key_id: keyId, ...(rule === undefined ? {} : { alert_id: rule.id, alert_name: rule.name }) };
}

function valueMember(value: string | undefined): { readonly value?: string } {
  return value === undefined ? {} : { value };
}
