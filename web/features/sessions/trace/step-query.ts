import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { and, or, type RequestItem, where } from '../../../../src/client/client.ts';
import { gatelog } from '../../../lib/client.ts';
import { requestQuery } from '../../requests/detail/request-query.ts';

/** A step and the one before it at its place, with their bodies. */
export interface StepBodies {
  readonly request: RequestItem;
  /** null: there is none. */
  readonly before: RequestItem | null;
}

/** Who goes through the steps asks for one of them at a time: the one before is known. */
export function useStepQuery(step: RequestItem, before: RequestItem | undefined) {
  const client = useQueryClient();
  return queryOptions({
    queryKey: ['request', step.request_id, 'after', before?.request_id ?? null],
    queryFn: async ({ signal }): Promise<StepBodies> => {
      const missing = [step, ...(before === undefined ? [] : [before])].filter((one) => known(client, one) === undefined);
      const found = await bodiesOf(missing, signal);
      for (const request of found) client.setQueryData(requestQuery(request.request_id).queryKey, request);
      const bodies = ({ request_id: id }: RequestItem): RequestItem | undefined =>
        found.find((request) => request.request_id === id) ?? client.getQueryData(requestQuery(id).queryKey);
      return { request: bodies(step) ?? step, before: before === undefined ? null : (bodies(before) ?? null) };
    },
  });
}

function known(client: QueryClient, { request_id: id }: RequestItem): RequestItem | undefined {
  return client.getQueryData(requestQuery(id).queryKey);
}

async function bodiesOf(requests: readonly RequestItem[], signal: AbortSignal): Promise<readonly RequestItem[]> {
  const [first, second] = requests;
  if (first === undefined) return [];
  if (second === undefined) return [(await gatelog.requests.get(first.request_id, { signal })).data];
  const times = requests.map(({ request_created_at: at }) => Date.parse(at));
  const filter = and(
    or(where('request_id', 'equals', first.request_id), where('request_id', 'equals', second.request_id)),
    where('request_created_at', 'gte', new Date(Math.min(...times))),
    where('request_created_at', 'lte', new Date(Math.max(...times))),
  );
  return (await gatelog.requests.query({ filter, limit: 2 }, { signal })).data;
}
