import { expect, test } from 'vitest';
import type { OrganizationId, RequestId } from '../model/ids.ts';
import { bodyAddressMs, type BodyAddressQuery, makeBodyAddresses } from './body-address.ts';

const organization = '0197b000-0000-7000-8000-00000000000a' as OrganizationId;
const request = '0197b000-0000-7000-8000-000000000001' as RequestId;
let now = 1_700_000_000_000;
const addresses = makeBodyAddresses(Buffer.alloc(32, 7), () => now);

function queryOf(path: string): BodyAddressQuery {
  const { searchParams } = new URL(path, 'http://x');
  const part = (name: string): string | undefined => searchParams.get(name) ?? undefined;
  return { organization: part('organization'), expires: part('expires'), signature: part('signature'), by: part('by') };
}

test('an address says whose request it is, for an hour', () => {
  const query = queryOf(addresses.pathOf({ organizationId: organization }, request));
  expect(addresses.check(request, query)).toEqual({ organizationId: organization });
  now += bodyAddressMs;
  expect(addresses.check(request, query)).toEqual({ organizationId: organization });
  now += 1;
  expect(addresses.check(request, query)).toBe('expired');
});

test('nothing of an address can be changed', () => {
  const query = queryOf(addresses.pathOf({ organizationId: organization }, request));
  const other = '0197b000-0000-7000-8000-00000000000b';
  expect(addresses.check(other as RequestId, query)).toBe('forged');
  expect(addresses.check(request, { ...query, organization: other })).toBe('forged');
  expect(addresses.check(request, { ...query, expires: String(now * 2) })).toBe('forged');
  for (const expires of ['', 'soon', '1e20', '-1', ` ${now}`]) expect(addresses.check(request, { ...query, expires })).toBe('forged');
  expect(addresses.check(request, { ...query, signature: 'AAAA' })).toBe('forged');
  expect(addresses.check(request, { organization: undefined, expires: undefined, signature: undefined, by: undefined })).toBe('forged');
  expect(makeBodyAddresses(Buffer.alloc(32, 8), () => now).check(request, query)).toBe('forged');
});

test.each([{ keyId: 'key-1' }, { keyId: 'key-1', personId: 'person-1' }])('an address says who got it, and nobody else: %j', (who) => {
  const owner = { organizationId: organization, ...who };
  const query = queryOf(addresses.pathOf(owner, request));
  expect(addresses.check(request, query)).toEqual(owner);
  expect(addresses.check(request, { ...query, by: 'key-2' })).toBe('forged');
  expect(addresses.check(request, { ...query, by: undefined })).toBe('forged');
  // Parts of an address may not take the place of others.
  for (const between of ['\n', ',', '","', '&']) {
    expect(addresses.check(request, { ...query, expires: `${query.expires}${between}${query.by}`, by: undefined })).toBe('forged');
    expect(addresses.check(request, { ...query, expires: `${query.expires}${between}${query.by}`, by: '' })).toBe('forged');
  }
});
