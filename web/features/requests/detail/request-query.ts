import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { and, type RequestItem, where } from '../../../../src/client/client.ts';
import { gatelog } from '../../../lib/client.ts';

/** A request with its bodies. */
export function requestQuery(id: string) {
  return queryOptions({
    queryKey: ['request', id],
    queryFn: async ({ signal }) => (await gatelog.requests.get(id, { signal })).data,
  });
}

/** The request before a request in its session, with its bodies; null where there is none. */
export function beforeQuery(request: RequestItem | undefined) {
  const { request_id: id = '', session_id: session = null, request_created_at: arrived = '' } = request ?? {};
  return queryOptions({
    queryKey: ['request', id, 'before'],
    enabled: request !== undefined,
    queryFn: async ({ signal }): Promise<RequestItem | null> => {
      if (session === null || session === '') return null;
      const filter = and(where('session_session_id', 'equals', session), where('request_created_at', 'lt', new Date(arrived)));
      const { data } = await gatelog.requests.query({ filter, sort: { created_at: 'desc' }, limit: 1 }, { signal });
      return data[0] ?? null;
    },
  });
}

/** After a request was changed: it and the lists that show it are read again. The promise is that of the request alone. */
export function useReadAgain(id: string): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    void queryClient.invalidateQueries({ queryKey: ['requests'] });
    void queryClient.invalidateQueries({ queryKey: ['changes', id] });
    await queryClient.invalidateQueries({ queryKey: ['request', id], exact: true });
  };
}
