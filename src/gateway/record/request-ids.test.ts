import { expect, it } from 'vitest';
import { parseUuid, type OrganizationId, timeOfUuid } from '../../model/ids.ts';
import { deriveRequestId, isIssued, makeRequestId } from './request-ids.ts';

const [ours, others] = ['0198c0de-0000-7000-8000-000000000001', '0198c0de-0000-7000-8000-000000000002'] as OrganizationId[];
const openedAt = 1_764_000_000_123;

function ids(count: number): ReturnType<typeof makeRequestId>[] {
  return Array.from({ length: count }, () => makeRequestId(ours as OrganizationId, openedAt));
}

it('an identifier is a UUIDv7 of the time of its call', () => {
  for (const id of ids(100)) {
    expect(parseUuid(id)).toBe(id);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(timeOfUuid(id)).toBe(openedAt);
  }
});

it('no two of one millisecond are the same, beyond what random bytes are fetched at once', () => {
  const made = ids(5000);
  expect(new Set(made).size).toBe(made.length);
  // All of the 42 bits that are random differ somewhere; the check differs with them.
  const [first = '', ...rest] = made;
  const constant = Array.from(first, (digit, place) => rest.every((id) => id[place] === digit));
  expect(constant.indexOf(false)).toBe('xxxxxxxx-xxxx-7'.length);
  expect(constant.slice('xxxxxxxx-xxxx-7'.length).filter((isSame) => isSame)).toHaveLength(2);
});

it('an identifier is known again by its check, in its own organisation only', () => {
  const [id] = ids(1);
  if (id === undefined || ours === undefined || others === undefined) throw new Error('there is none');
  expect(isIssued(ours, id)).toBe(true);
  expect(isIssued(others, id)).toBe(false);
  const other = id.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')) as typeof id;
  expect(isIssued(ours, other)).toBe(false);
  expect(isIssued(ours, '0198c0de-0000-4000-8000-000000000001' as typeof id)).toBe(false);
});

it('a derived identifier is always the same for a name, a time and an organisation, and known again as ours', () => {
  const [one, other] = [ours, others] as [OrganizationId, OrganizationId];
  const id = deriveRequestId(one, openedAt, 'trace/span');
  expect(deriveRequestId(one, openedAt, 'trace/span')).toBe(id);
  expect(isIssued(one, id)).toBe(true);
  expect(timeOfUuid(id)).toBe(openedAt);
  const further = [deriveRequestId(other, openedAt, 'trace/span'), deriveRequestId(one, openedAt + 1, 'trace/span')];
  expect(new Set([id, ...further, deriveRequestId(one, openedAt, 'trace/other')]).size).toBe(4);
});
