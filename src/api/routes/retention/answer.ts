import type { Context } from 'hono';
import { sendJson } from '../../http/json-answer.ts';
import type { RetentionPorts } from '../../ports.ts';

/** Answers with an organisation's own days and what follows from them. @param own null: none. */
export function answerRetention(context: Context, { deploymentDays }: RetentionPorts, own: number | null): Response {
  const known = [own, deploymentDays ?? null].filter((days) => days !== null);
  const effective = known.length === 0 ? null : Math.min(...known);
  return sendJson(context, { data: { days: own, deployment_days: deploymentDays ?? null, effective_days: effective }, error: null });
}
