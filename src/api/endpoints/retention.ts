import { retentionAnswerSchema, retentionSchema } from '../../contract/settings/retention.ts';
import { type DataOf, endpoint } from '../endpoint/endpoint.ts';
import type { RetentionPorts } from '../../jobs/removals.ts';

export const retention = [
  endpoint({
    at: 'GET /v1/retention',
    id: 'getRetention',
    summary: 'Get how long records are kept',
    text: "The organisation's own days and the deployment's; the shorter of both holds.",
    action: 'read',
    answer: retentionAnswerSchema,
    answered: 'The retention.',
    run: async ({ tenant, ports }) => itemOf(ports.retention, await ports.retention.read(tenant)),
  }),
  endpoint({
    at: 'PUT /v1/retention',
    id: 'setRetention',
    summary: 'Set how long records are kept',
    text: 'Takes a key with the permission `admin`. Records that came longer ago are removed, with all that belongs to them, by the next run, which comes within `GATELOG_RETENTION_INTERVAL` (an hour); a longer time brings nothing back. The deployment may keep records for a shorter time: the shorter of both holds.',
    action: 'administer',
    body: retentionSchema,
    example: { days: 90 },
    answer: retentionAnswerSchema,
    answered: 'Set.',
    errors: [400, 413, 415, 422],
    run: async ({ tenant, ports, body: { days } }) => {
      await ports.retention.set(tenant, days);
      return itemOf(ports.retention, days);
    },
  }),
];

/** @param own the organisation's days; null: none. */
function itemOf({ deploymentDays }: RetentionPorts, own: number | null): DataOf<typeof retentionAnswerSchema> {
  const known = [own, deploymentDays ?? null].filter((days) => days !== null);
  const effective = known.length === 0 ? null : Math.min(...known);
  return { days: own, deployment_days: deploymentDays ?? null, effective_days: effective };
}
