import { queryOptions } from '@tanstack/react-query';
import { gatelog } from '../../../lib/client.ts';

export const boardsQuery = queryOptions({
  queryKey: ['boards'],
  queryFn: async ({ signal }) => (await gatelog.boards.list({ signal })).data,
});

export function boardQuery(id: string) {
  return queryOptions({
    queryKey: ['boards', id],
    queryFn: async ({ signal }) => (await gatelog.boards.get(id, { signal })).data,
  });
}
