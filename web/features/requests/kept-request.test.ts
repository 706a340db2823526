import { expect, it, vi } from 'vitest';
import { keepRequest, keptRequest } from './kept-request.ts';

it('a request stays kept whatever the address says, until it is let go', () => {
  const stored = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
  expect(keptRequest()).toBeUndefined();
  keepRequest('one');
  expect(keptRequest()).toBe('one');
  keepRequest(undefined);
  expect(keptRequest()).toBeUndefined();
  vi.unstubAllGlobals();
});
