import { useEffect, useState } from 'react';
import type { Filter, RequestItem } from '../../../../src/client/client.ts';
import type { FilterNode } from '../../../../src/query/filter/ast.ts';
import { filterJson } from '../../../../src/query/language/json.ts';
import { gatelog } from '../../../lib/client.ts';

/** Requests that a page keeps; of more, the oldest are in the list only after it is loaded anew. */
export const maxLive = 5000;

export interface Live {
  /** The newest first, at most {@link maxLive}. */
  readonly requests: readonly RequestItem[];
  /** How many have come in, those that are no longer kept included. */
  readonly count: number;
  readonly state: 'off' | 'connecting' | 'connected' | 'lost';
}

/** Requests as they are stored, pushed by the service. Nothing is asked for while nothing comes. */
export function useLive(filter: FilterNode | undefined, isOn: boolean): Live {
  const [{ requests, count }, setArrived] = useState(nothing);
  const [connection, setConnection] = useState<Live['state']>();
  useEffect(() => {
    if (!isOn || filter === undefined) return undefined;
    const ending = new AbortController();
    const onConnection = (lost: unknown): void => setConnection(lost === undefined ? 'connected' : 'lost');
    const follow = async (): Promise<void> => {
      const stream = gatelog.requests.follow({ filter: filterJson(filter) as Filter }, { signal: ending.signal, onConnection });
      for await (const { request } of stream) setArrived((before) => withRequest(before, request));
    };
    follow().catch(() => {
      if (!ending.signal.aborted) setConnection('lost');
    });
    return () => {
      ending.abort();
      setArrived(nothing);
      setConnection(undefined);
    };
  }, [filter, isOn]);
  return { requests, count, state: isOn ? (connection ?? 'connecting') : 'off' };
}

type Arrived = Pick<Live, 'requests' | 'count'>;

const nothing: Arrived = { requests: [], count: 0 };

function withRequest({ requests, count }: Arrived, request: RequestItem): Arrived {
  return { requests: [request, ...requests].slice(0, maxLive), count: count + 1 };
}
