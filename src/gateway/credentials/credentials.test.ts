import { describe, expect, it } from 'vitest';
import { hashKey } from '../../auth/api-key.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Principal } from '../../model/principal.ts';
import { authenticate, CredentialCache } from './credentials.ts';

const ours = 'sk-svc-us-first';
const others = 'sk-svc-us-second';
const connection = {};

it('a key of ours without Bearer is told how to be written, also beside a key of the provider`s', () => {
  for (const beside of [[], ['x-api-key', 'sk-ant-theirs']]) {
    const lines = ['Authorization', ` ${ours}`, ...beside];
    expect(() => new CredentialCache().read({}, lines, undefined)).toThrow('without its scheme; write "Authorization: Bearer');
  }
  expect(() => new CredentialCache().read({}, ['Authorization', 'abc'], undefined)).toThrow('This gateway needs a key');
});

// Source: opentelemetry.io, "OTLP Exporter Configuration": the values of OTEL_EXPORTER_OTLP_HEADERS are URL-encoded.
it.each(['Bearer%20', 'bearer%20', 'Bearer+', 'Bearer '])(
  'a key of ours is taken behind %j, as exporters send it that do not decode',
  (scheme) => {
    const { keyHashes, providerCredentials } = new CredentialCache().read({}, ['Authorization', `${scheme}${ours}`], undefined);
    expect([keyHashes, providerCredentials]).toEqual([[hashKey(ours)], []]);
    expect(new CredentialCache().read({}, [], `${scheme}${ours}`).keyHashes).toEqual([hashKey(ours)]);
  },
);

it.each(['Bearer%20%20', 'Bearer%2020', 'Bearer%09', 'Bearer++', 'Bearer%'])('a key of ours is not taken behind %j', (scheme) => {
  expect(() => new CredentialCache().read({}, ['Authorization', `${scheme}${ours}`], undefined)).toThrow('This gateway needs a key');
});

it('a key of a provider behind an encoded blank stays what it is', () => {
  const { keyHashes, providerCredentials } = new CredentialCache().read(
    {},
    ['Authorization', 'Bearer%20sk-theirs', 'x-api-key', ours],
    undefined,
  );
  expect([keyHashes, providerCredentials]).toEqual([[hashKey(ours)], ['Authorization', 'Bearer%20sk-theirs']]);
});

describe('the credentials of a connection', () => {
  it('are read once while they stay the same', () => {
    const credentials = new CredentialCache();
    const first = credentials.read(connection, ['Authorization', `Bearer ${ours}`], undefined);
    expect(credentials.read(connection, ['Authorization', `Bearer ${ours}`], undefined)).toBe(first);
    expect(credentials.read({}, ['Authorization', `Bearer ${ours}`], undefined)).not.toBe(first);
  });

  it.each<readonly [string, readonly string[], string | undefined]>([
    ['another key', ['Authorization', `Bearer ${others}`], undefined],
    ['another header', ['x-api-key', ours], undefined],
    ['one line more', ['Authorization', `Bearer ${ours}`, 'x-api-key', others], undefined],
    ['Svc-Auth beside them', ['Authorization', `Bearer ${ours}`], `Bearer ${others}`],
  ])('are read again with %s', (_what, lines, auth) => {
    const credentials = new CredentialCache();
    const known = credentials.read(connection, ['Authorization', `Bearer ${ours}`], undefined);
    const sent = credentials.read(connection, [...lines], auth);
    expect(sent).not.toBe(known);
    expect(sent).toEqual(new CredentialCache().read({}, [...lines], auth));
  });

  it.each<readonly [string, readonly string[], string | undefined]>([
    ['one of more parts', ['Authorization', ','.repeat(16)], undefined],
    ['one that is very long', ['Authorization', `Bearer ${'a'.repeat(32 * 1024)}`], undefined],
    ['a very long Svc-Auth', [], `Bearer ${'a'.repeat(32 * 1024)}`],
    ['many lines', Array.from({ length: 17 }, () => ['x-api-key', 'a']).flat(), undefined],
  ])('are not looked through where there are too many: %s', (_what, lines, auth) => {
    expect(() => new CredentialCache().read(connection, lines, auth)).toThrow(
      'A request has at most 16 lines with credentials, each of 32768 characters and 16 parts with commas between them at most.',
    );
  });

  it('are taken as they are where 16 parts stand in a line, a key of ours among them', () => {
    const { keyHashes, providerCredentials } = new CredentialCache().read(
      connection,
      ['Authorization', `${'a,'.repeat(15)}Bearer ${ours}`],
      undefined,
    );
    expect(keyHashes).toEqual([hashKey(ours)]);
    expect(providerCredentials).toEqual(['Authorization', 'a,'.repeat(15).slice(0, -1)]);
  });

  it('do not keep a key good that was revoked meanwhile', () => {
    const credentials = new CredentialCache();
    const principal: Principal = { organizationId: '' as OrganizationId, keyId: 'k', keyHash: hashKey(ours), permissions: 'rw' };
    const lines = ['Authorization', `Bearer ${ours}, Bearer sk-provider`];
    expect(authenticate(credentials.read(connection, lines, undefined), () => principal)).toEqual({
      principal,
      providerCredentials: ['Authorization', 'Bearer sk-provider'],
    });
    expect(authenticate(credentials.read(connection, lines, undefined), () => undefined)).toEqual({ rejectedKey: ours });
  });
});
