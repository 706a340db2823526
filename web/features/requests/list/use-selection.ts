import { useState } from 'react';
import type { RequestItem } from '../../../../src/client/client.ts';

/** Requests that are selected at a time: their identifiers stand in the address of an export. */
export const maxSelected = 50;

/** What is kept of a request that is selected: the list may show others meanwhile. */
export type Selectable = Pick<RequestItem, 'request_id' | 'request_created_at'>;

/** Times of arrival by the identifiers of requests. */
export type SelectedRequests = ReadonlyMap<string, string>;

export interface Selection {
  readonly requests: SelectedRequests;
  readonly toggle: (request: Selectable) => void;
  /** Selects as many as may be, or none where all of them are selected. */
  readonly toggleAll: (requests: readonly Selectable[]) => void;
  readonly clear: () => void;
}

export function useSelection(): Selection {
  const [requests, setRequests] = useState<SelectedRequests>(none);
  return {
    requests,
    toggle: ({ request_id: id, request_created_at: arrived }) =>
      setRequests((before) => {
        const next = new Map(before);
        if (!next.delete(id) && next.size < maxSelected) next.set(id, arrived);
        return next;
      }),
    toggleAll: (all) => setRequests((before) => (selectedOf(before, all) === 'all' ? none : withAll(before, all))),
    clear: () => setRequests(none),
  };
}

const none: SelectedRequests = new Map();

function withAll(before: SelectedRequests, all: readonly Selectable[]): SelectedRequests {
  const whole = new Map([...before, ...all.map(({ request_id: id, request_created_at: arrived }) => [id, arrived] as const)]);
  return new Map([...whole].slice(0, maxSelected));
}

/** Identifiers, that of the oldest request first: beside an older one, a newer one has more or less. */
export function oldestFirst(selected: SelectedRequests): readonly string[] {
  return [...selected].toSorted(([, one], [, other]) => Date.parse(one) - Date.parse(other)).map(([id]) => id);
}

/** How many of the requests are selected; as many as may be are all. */
export function selectedOf(selected: SelectedRequests, all: readonly Selectable[]): 'none' | 'some' | 'all' {
  if (selected.size === 0) return 'none';
  return selected.size >= maxSelected || all.every(({ request_id: id }) => selected.has(id)) ? 'all' : 'some';
}
