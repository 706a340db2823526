import { queryOptions } from '@tanstack/react-query';
import { gatelog } from './client.ts';

/** The names of the organisation's properties, apart from hidden ones. */
export const propertyNamesQuery = queryOptions({
  queryKey: ['properties'],
  staleTime: 60_000,
  queryFn: async ({ signal }) => (await gatelog.properties.list({ signal })).data.map(({ property }) => property),
});

/** Whether a property is one by which a caller told the service of a session and the like. */
export function isOfService(name: string): boolean {
  return /^(?:svc|helicone)-/i.test(name);
}
