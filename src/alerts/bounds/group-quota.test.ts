import { expect, test } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import { GroupQuota } from './group-quota.ts';

const [one, other] = ['org-1', 'org-2'] as OrganizationId[] as [OrganizationId, OrganizationId];

function noted(wanted: Readonly<Record<string, number>>, bytes: (wanted: number) => number = (each) => each): GroupQuota {
  const quota = new GroupQuota({ maxBytesOfOrganization: 100, maxBytes: 1000 });
  for (const [id, wantedBytes] of Object.entries(wanted)) quota.note(id, { organizationId: one, bytes: bytes(wantedBytes), wantedBytes });
  return quota;
}

test('rules that want little have it, and the others share the rest', () => {
  const shares = noted({ a: 10, b: 500, c: 500 }, (wanted) => Math.min(wanted, 30)).sharesOf(one, ['a', 'b', 'c']);
  expect([shares('a'), shares('b'), shares('c')]).toEqual([10, 45, 45].map((share, index) => Math.min(share, index === 0 ? 40 : 60)));
});

test('a rule that wanted nothing has room for the groups that come', () => {
  const shares = noted({ a: 0, b: 20 }).sharesOf(one, ['a', 'b']);
  expect([shares('a'), shares('b')]).toEqual([40, 60]);
});

test('what rules hold beyond their shares is no room of others', () => {
  const quota = noted({ a: 100 });
  expect(quota.sharesOf(one, ['a', 'b'])('b')).toBe(0);
});

test('an organisation has at most half of what the others leave', () => {
  const quota = new GroupQuota({ maxBytesOfOrganization: 100, maxBytes: 150 });
  quota.note('a', { organizationId: one, bytes: 75, wantedBytes: 75 });
  expect([quota.capacityOf(one), quota.capacityOf(other)]).toEqual([75, 37.5]);
  quota.forget('a');
  expect(quota.capacityOf(other)).toBe(75);
});
