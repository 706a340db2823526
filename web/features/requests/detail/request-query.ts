import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { and, type RequestBeginning, type RequestItem, where } from '../../../../src/client/client.ts';
import { gatelog } from '../../../lib/client.ts';
import { bodyOfBeginning } from '../raw/raw-bodies.ts';

/** A request with its bodies. */
export function requestQuery(id: string) {
  return queryOptions({
    queryKey: ['request', id],
    queryFn: async ({ signal }) => (await gatelog.requests.get(id, { signal })).data,
  });
}

/**
 * A request and how its bodies begin: all there is to see of long bodies at first, and there at once. Where the bodies are short, it is the
 * whole request.
 */
export function beginningQuery(id: string) {
  return queryOptions({
    queryKey: ['request', id, 'beginning'],
    queryFn: async ({ client, signal }): Promise<RequestBeginning> => {
      const { data } = await gatelog.requests.beginning(id, { signal });
      const [request, response] = [bodyOfBeginning(data.request_body), bodyOfBeginning(data.response_body)];
      if (request !== undefined && response !== undefined) {
        const whole = { ...data.request, request_body: request.body, response_body: response.body };
        client.setQueryData(requestQuery(id).queryKey, whole);
      }
      return data;
    },
  });
}

export interface OpenRequest {
  /** Undefined until it is there. */
  readonly request: RequestItem | undefined;
  /** How its bodies begin, which it does not have yet. */
  readonly beginning: RequestBeginning | undefined;
  readonly error: Error | null;
  /** The beginning is drawn: the bodies may come. */
  readonly onDrawn: () => void;
}

/** A request whose details are open. @param isRaw its bodies are shown as they are. */
export function useOpenRequest(id: string, isRaw: boolean): OpenRequest {
  const [isDrawn, setIsDrawn] = useState(false);
  const whole = useQuery({ ...requestQuery(id), enabled: !isRaw || isDrawn });
  const begun = useQuery({ ...beginningQuery(id), enabled: isRaw && whole.data === undefined });
  const beginning = isRaw && whole.data === undefined ? begun.data : undefined;
  const onDrawn = useCallback(() => setIsDrawn(true), []);
  return { request: whole.data ?? beginning?.request, beginning, error: whole.error ?? begun.error, onDrawn };
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
