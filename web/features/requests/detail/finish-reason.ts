import { isObject, objectsOf } from '../../../ui/conversation/read/json.ts';

/** Why the answer ended, in the provider's words; null where the body does not say. */
export function finishReasonOf(body: unknown): string | null {
  if (!isObject(body)) return null;
  const incomplete = isObject(body['incomplete_details']) ? body['incomplete_details']['reason'] : undefined;
  const reasons = [
    ...objectsOf(body['choices']).map(({ finish_reason: reason }) => reason),
    ...objectsOf(body['candidates']).map(({ finishReason: reason }) => reason),
    body['stop_reason'],
    body['stopReason'],
    body['finish_reason'],
    body['done_reason'],
    incomplete ?? body['status'],
  ].filter((reason) => typeof reason === 'string' && reason !== '');
  return reasons.length === 0 ? null : [...new Set(reasons)].join(', ');
}
