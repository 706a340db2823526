import { expect, test } from 'vitest';
import { type OrganizationId, uuidOfHex } from '../../model/ids.ts';
import { inSettingTurn } from './setting-turns.ts';

const own: OrganizationId = uuidOfHex('0a'.repeat(16));
const other: OrganizationId = uuidOfHex('0b'.repeat(16));

function held(): { readonly until: Promise<void>; readonly release: () => void } {
  const resolves: (() => void)[] = [];
  const until = new Promise<void>((resolve) => {
    resolves.push(resolve);
  });
  return { until, release: () => resolves.at(0)?.() };
}

test('changes of an organisation run one after the other, also behind one that failed; those of another do not wait', async () => {
  const told: string[] = [];
  const { until, release } = held();
  const first = inSettingTurn(own, async () => {
    await until;
    told.push('first');
    throw new Error('refused');
  });
  const second = inSettingTurn(own, async () => told.push('second'));
  await inSettingTurn(other, async () => told.push('other'));
  release();
  await expect(first).rejects.toThrow('refused');
  await second;
  expect(told).toEqual(['other', 'first', 'second']);
});

test('beyond a hundred that wait the next one is refused, and taken later', async () => {
  const { until, release } = held();
  const waiting = Array.from({ length: 100 }, () => inSettingTurn(own, () => until));
  await expect(inSettingTurn(own, async () => 1)).rejects.toMatchObject({ code: 'service_busy' });
  release();
  await Promise.all(waiting);
  expect(await inSettingTurn(own, async () => 1)).toBe(1);
});
