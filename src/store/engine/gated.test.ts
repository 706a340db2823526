import { expect, test } from 'vitest';
import { gated, type Kinds } from './gated.ts';
import { WriteGate } from './write-gate.ts';

interface Members {
  readonly read: () => Promise<string>;
  readonly write: (text: string) => Promise<string>;
  readonly several: { readonly find: () => Promise<string>; readonly remove: () => Promise<string> };
  readonly state: { readonly count: number };
  readonly absent: (() => Promise<string>) | undefined;
}

const kinds: Kinds<Members> = { read: 'reads', write: 'writes', several: ['remove'], state: 'reads', absent: 'writes' };
const state = { count: 3 };
const members: Members = {
  read: () => Promise.resolve('read'),
  write: (text) => Promise.resolve(`wrote ${text}`),
  several: { find: () => Promise.resolve('found'), remove: () => Promise.resolve('removed') },
  state,
  absent: undefined,
};

test('what writes is refused behind a closed gate, and what reads is not', async () => {
  const gate = new WriteGate();
  const behind = gated(members, kinds, gate);
  expect([await behind.write('a'), await behind.several.remove()]).toEqual(['wrote a', 'removed']);
  (await gate.hold(10)).close('ClickHouse at example.com');
  expect([await behind.read(), await behind.several.find(), behind.state, behind.absent]).toEqual(['read', 'found', state, undefined]);
  await expect(behind.write('b')).rejects.toMatchObject({ code: 'store_unavailable' });
  await expect(behind.several.remove()).rejects.toMatchObject({ code: 'store_unavailable' });
});
