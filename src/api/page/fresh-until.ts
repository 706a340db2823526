import type { RequestContext } from '../endpoint/endpoint.ts';

export const freshHeader = {
  'svc-fresh-until': {
    description: 'Every request whose response ended before this time (ISO 8601) is counted. Absent while this is not known.',
    schema: { type: 'string' },
  },
} as const;

/** Call it before the store is read. */
export async function setFreshUntil({ context, ports }: RequestContext): Promise<void> {
  const until = await ports.freshUntil();
  if (until !== undefined) context.header('svc-fresh-until', new Date(until).toISOString());
}
