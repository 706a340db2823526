import { useSyncExternalStore } from 'react';

const key = 'gatelog.kept-request';
const listeners = new Set<() => void>();

/** The request of this tab that another one is to be compared with. It stays when one goes to another list, back, or reloads. */
export function keptRequest(): string | undefined {
  return sessionStorage.getItem(key) ?? undefined;
}

/** @param id undefined: none is kept any more. */
export function keepRequest(id: string | undefined): void {
  if (id === undefined) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, id);
  for (const listener of listeners) listener();
}

export function useKeptRequest(): string | undefined {
  return useSyncExternalStore(onChange, keptRequest);
}

function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
