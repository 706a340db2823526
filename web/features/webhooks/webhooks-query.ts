import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { gatelog } from '../../lib/client.ts';
import type { DeliveryState } from './search.ts';

/** While a delivery waits for its next attempt, and else. */
const busyMs = 2000;
const restMs = 10_000;

function isPending({ state }: { readonly state: DeliveryState }): boolean {
  return state === 'pending';
}

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async ({ signal }) => (await gatelog.webhooks.list({ signal })).data,
});

export function webhookQuery(id: string) {
  return queryOptions({
    queryKey: ['webhooks', id],
    refetchInterval: restMs,
    queryFn: async ({ signal }) => (await gatelog.webhooks.get(id, { signal })).data,
  });
}

export function deliveriesQuery(id: string, state: DeliveryState | undefined) {
  return infiniteQueryOptions({
    queryKey: ['webhooks', id, 'deliveries', state],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor, signal }) => gatelog.webhooks.deliveries(id, { state, cursor, limit: 50, signal }),
    refetchInterval: ({ state: { data } }) => (data?.pages.some((page) => page.data.some(isPending)) === true ? busyMs : restMs),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

export function deliveryQuery(id: string, deliveryId: string) {
  return queryOptions({
    queryKey: ['webhooks', id, 'delivery', deliveryId],
    queryFn: async ({ signal }) => (await gatelog.webhooks.delivery(id, deliveryId, { signal })).data,
    refetchInterval: ({ state: { data } }) => (data !== undefined && data !== null && isPending(data) ? busyMs : false),
  });
}
