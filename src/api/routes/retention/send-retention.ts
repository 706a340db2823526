import type { Context } from 'hono';
import { sendData } from '../../http/send-json.ts';
import type { RetentionPorts } from '../../ports.ts';

/** @param own the organisation's days; null: none. */
export function sendRetention(context: Context, { deploymentDays }: RetentionPorts, own: number | null): Response {
  const known = [own, deploymentDays ?? null].filter((days) => days !== null);
  const effective = known.length === 0 ? null : Math.min(...known);
  return sendData(context, { days: own, deployment_days: deploymentDays ?? null, effective_days: effective });
}
