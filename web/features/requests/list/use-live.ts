import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Filter, RequestItem } from '../../../../src/client/client.ts';
import { allOf, type FilterNode } from '../../../../src/query/filter/ast.ts';
import { filterJson } from '../../../../src/query/language/json.ts';
import { gatelog } from '../../../lib/client.ts';
import { arrivedIn, type RangeSearch, timeRangeOf } from '../../../lib/time-range.ts';
import { listKey } from './use-requests.ts';

/** Requests that a page keeps; of more, the oldest are in the list only after it is loaded again. */
export const maxLive = 5000;

export interface Live {
  /** The newest first, at most {@link maxLive}. */
  readonly requests: readonly RequestItem[];
  /** How many have come in, those that are no longer kept included. */
  readonly count: number;
  readonly state: 'off' | 'connecting' | 'connected' | 'lost';
}

export interface FollowedRequests {
  readonly filter: FilterNode | undefined;
  /** Requests of an import can be older than it. */
  readonly range: RangeSearch;
  readonly isOn: boolean;
}

/** Requests as they are stored, pushed by the service. Nothing is asked for while nothing comes. */
export function useLive({ filter, range: { range, from, to }, isOn }: FollowedRequests): Live {
  const queryClient = useQueryClient();
  const [{ requests, count }, setArrived] = useState(nothing);
  const [connection, setConnection] = useState<Live['state']>();
  useEffect(() => {
    if (!isOn || filter === undefined) return undefined;
    const ending = new AbortController();
    const readListAgain = async (): Promise<void> => {
      // An answer that is on its way may be of before.
      await queryClient.cancelQueries({ queryKey: listKey });
      await queryClient.invalidateQueries({ queryKey: listKey });
    };
    let hasConnected = false;
    const onConnection = (lost: unknown): void => {
      setConnection(lost === undefined ? 'connected' : 'lost');
      // The list was read before the stream began, and has none of the requests that were stored in between.
      if (!hasConnected) void readListAgain();
      hasConnected = true;
    };
    const follow = async (): Promise<void> => {
      const whole = filterJson(allOf([arrivedIn(timeRangeOf({ range, from, to }, Date.now())), filter])) as Filter;
      const stream = gatelog.requests.follow({ filter: whole }, { signal: ending.signal, onConnection });
      for await (const { request } of stream) setArrived((before) => withRequest(before, request));
    };
    follow().catch(() => {
      if (!ending.signal.aborted) setConnection('lost');
    });
    return () => {
      ending.abort();
      setArrived(nothing);
      setConnection(undefined);
      // What came in goes, so the list has to have it.
      void queryClient.invalidateQueries({ queryKey: listKey });
    };
  }, [queryClient, filter, range, from, to, isOn]);
  return { requests, count, state: isOn ? (connection ?? 'connecting') : 'off' };
}

/** How many requests came in that are not among the loaded rows. */
export function countNew({ requests, count }: Live, loaded: readonly RequestItem[]): number {
  if (count === 0) return 0;
  const known = new Set(loaded.map(({ request_id: id }) => id));
  return count - requests.filter(({ request_id: id }) => known.has(id)).length;
}

type Arrived = Pick<Live, 'requests' | 'count'>;

const nothing: Arrived = { requests: [], count: 0 };

function withRequest({ requests, count }: Arrived, request: RequestItem): Arrived {
  return { requests: [request, ...requests].slice(0, maxLive), count: count + 1 };
}
