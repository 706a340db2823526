import { queryOptions } from '@tanstack/react-query';
import { gatelog } from './client.ts';

/** The names of the organisation's properties, apart from hidden ones. */
export const propertyNamesQuery = queryOptions({
  queryKey: ['properties'],
  staleTime: 60_000,
  queryFn: async ({ signal }) => (await gatelog.properties.list({ signal })).data.map(({ property }) => property),
});
