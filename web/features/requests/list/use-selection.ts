import { useState } from 'react';

/** Requests that are selected at a time: their identifiers stand in the address of an export. */
export const maxSelected = 50;

export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  /** Selects as many as may be, or none where all of them are selected. */
  readonly toggleAll: (ids: readonly string[]) => void;
  readonly clear: () => void;
}

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(none);
  return {
    ids,
    toggle: (id) =>
      setIds((before) => {
        const next = new Set(before);
        if (!next.delete(id) && next.size < maxSelected) next.add(id);
        return next;
      }),
    toggleAll: (all) => setIds((before) => (selectedOf(before, all) === 'all' ? none : new Set([...before, ...all].slice(0, maxSelected)))),
    clear: () => setIds(none),
  };
}

const none: ReadonlySet<string> = new Set();

/** How many of the requests are selected; as many as may be are all. */
export function selectedOf(selected: ReadonlySet<string>, all: readonly string[]): 'none' | 'some' | 'all' {
  if (selected.size === 0) return 'none';
  return selected.size >= maxSelected || all.every((id) => selected.has(id)) ? 'all' : 'some';
}
