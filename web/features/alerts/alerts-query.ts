import { queryOptions } from '@tanstack/react-query';
import { gatelog } from '../../lib/client.ts';

const pageLimit = 1000;
/** Rules are evaluated every ten seconds. */
const refetchInterval = 10_000;

export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  refetchInterval,
  queryFn: async ({ signal }) => (await gatelog.alerts.list({ limit: pageLimit, signal })).data,
});

export function alertQuery(id: string) {
  return queryOptions({
    queryKey: ['alerts', id],
    refetchInterval,
    queryFn: async ({ signal }) => (await gatelog.alerts.get(id, { signal })).data,
  });
}

export function statesQuery(id: string) {
  return queryOptions({
    queryKey: ['alerts', id, 'states'],
    refetchInterval,
    queryFn: async ({ signal }) => (await gatelog.alerts.states(id, { limit: pageLimit, signal })).data,
  });
}

export function incidentsQuery(id: string) {
  return queryOptions({
    queryKey: ['alerts', id, 'incidents'],
    refetchInterval,
    queryFn: async ({ signal }) => (await gatelog.alerts.incidents(id, { limit: pageLimit, signal })).data,
  });
}

export function deliveriesQuery(id: string) {
  return queryOptions({
    queryKey: ['alerts', id, 'deliveries'],
    refetchInterval,
    queryFn: async ({ signal }) => (await gatelog.alerts.deliveries(id, { limit: pageLimit, signal })).data,
  });
}

export function historyQuery(id: string) {
  return queryOptions({
    queryKey: ['alerts', id, 'history'],
    refetchInterval,
    queryFn: async ({ signal }) => (await gatelog.alerts.history(id, { limit: pageLimit, signal })).data,
  });
}
