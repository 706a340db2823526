import { describe, expect, test } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import { OrganizationLock } from './organization-lock.ts';
import { makeGate } from '../testing/ingest-harness.ts';

const ours = '0197b000-0000-7000-8000-00000000000a' as OrganizationId;
const theirs = '0197b000-0000-7000-8000-00000000000b' as OrganizationId;

/** Lets everything run that can. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function fail(): Promise<never> {
  throw new Error('failed');
}

describe('changes of an organisation', () => {
  test('of single requests run side by side, one of a session alone, in the order in which they came', async () => {
    const turns = new OrganizationLock();
    const log: string[] = [];
    const gates = new Map(['a', 'b', 'S', 'c', 'T'].map((name) => [name, makeGate()]));
    const work = (name: string) => async () => {
      log.push(name);
      await gates.get(name)?.passed;
      log.push(`${name} done`);
    };
    const all = [
      turns.shared(ours, work('a')),
      turns.shared(ours, work('b')),
      turns.exclusive(ours, work('S')),
      turns.shared(ours, work('c')),
      turns.exclusive(ours, work('T')),
      turns.shared(theirs, work('other')),
    ];
    await settle();
    expect(log).toEqual(['a', 'b', 'other', 'other done']);
    for (const name of ['b', 'a', 'S', 'c', 'T']) {
      gates.get(name)?.open();
      await settle();
    }
    await Promise.all(all);
    expect(log.slice(4)).toEqual(['b done', 'a done', 'S', 'S done', 'c', 'c done', 'T', 'T done']);
  });

  test('that fail let the next ones in', async () => {
    const turns = new OrganizationLock();
    const results = await Promise.allSettled([
      turns.exclusive(ours, fail),
      turns.shared(ours, fail),
      turns.exclusive(ours, async () => 'done'),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });

  test('more than a thousand do not wait', async () => {
    const turns = new OrganizationLock();
    const gate = makeGate();
    const first = turns.exclusive(ours, () => gate.passed);
    const waiting = Array.from({ length: 1000 }, () => turns.shared(ours, async () => undefined));
    await expect(turns.shared(ours, async () => undefined)).rejects.toMatchObject({ code: 'store_unavailable' });
    gate.open();
    await Promise.all([first, ...waiting]);
    await expect(turns.shared(ours, async () => 'again')).resolves.toBe('again');
  });
});
