import { expect, test } from 'vitest';
import type { HintProbe } from '../../query/hints/probe.ts';
import { HintLookUps } from './hint-look-ups.ts';

let now = 0;
const question = (tenant: string, name: string, more: Partial<HintProbe> = {}): HintProbe => ({
  statement: { tenant, text: 'SELECT', params: { tenant, p0: name }, lane: 'long' } as unknown as HintProbe['statement'],
  isRemembered: true,
  messageFor: () => undefined,
  ...more,
});

/** A store that counts what it is asked, and answers when it is told to. */
function countingStore() {
  const asked: ((rows: readonly Readonly<Record<string, unknown>>[]) => void)[] = [];
  return { asked, read: () => new Promise<readonly Readonly<Record<string, unknown>>[]>((resolve) => asked.push(resolve)) };
}

test('a name that was not found is not looked for again within a minute, by nobody of its organisation', async () => {
  const look = new HintLookUps(() => now);
  const { asked, read } = countingStore();
  for (const [at, expected] of [
    [0, 1],
    [59_999, 1],
    [60_001, 2],
  ] as const) {
    now = at;
    const rows = look.rowsOf(question('a', 'Taem'), read);
    for (const answer of asked) answer([]);
    expect([await rows, asked.length]).toEqual([[], expected]);
  }
  const other = look.rowsOf(question('b', 'Taem'), read);
  asked.at(-1)?.([]);
  await other;
  expect(asked).toHaveLength(3);
});

test('an organisation has one long look-up at a time; who comes meanwhile goes without', async () => {
  const look = new HintLookUps(() => now);
  const { asked, read } = countingStore();
  const first = look.rowsOf(question('a', 'one'), read);
  expect(await look.rowsOf(question('a', 'two'), read)).toBeUndefined();
  const other = look.rowsOf(question('b', 'one'), read);
  expect(asked).toHaveLength(2);
  for (const answer of asked) answer([{ name: 'One' }]);
  expect([await first, await other]).toEqual([[{ name: 'One' }], [{ name: 'One' }]]);
  const next = look.rowsOf(question('a', 'two'), read);
  asked.at(-1)?.([]);
  expect(await next).toEqual([]);
});

const found = (): Promise<readonly Readonly<Record<string, unknown>>[]> => Promise.resolve([{ value: 'erased' }]);
const nothing = (): Promise<readonly Readonly<Record<string, unknown>>[]> => Promise.resolve([]);

test('after an erasure nothing is said that was found before it, also by a look-up that was under way', async () => {
  const look = new HintLookUps(() => now);
  await look.rowsOf(question('a', 'before'), found);
  await look.rowsOf(question('b', 'before'), found);
  const { asked, read } = countingStore();
  const running = look.rowsOf(question('a', 'meanwhile'), read);
  look.forget('a');
  asked.at(-1)?.([{ value: 'erased' }]);
  await running;
  expect(await look.rowsOf(question('a', 'before'), nothing)).toEqual([]);
  expect(await look.rowsOf(question('a', 'meanwhile'), nothing)).toEqual([]);
  expect(await look.rowsOf(question('b', 'before'), nothing)).toEqual([{ value: 'erased' }]);
});

test('one that fails leaves the way free', async () => {
  const look = new HintLookUps(() => now);
  await expect(look.rowsOf(question('a', 'one'), () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await look.rowsOf(question('a', 'one'), () => Promise.resolve([]))).toEqual([]);
});
