import { createDecipheriv } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { OrganizationId } from '../model/ids.ts';
import { makeProviderKeyCipher, type ProviderKeyRow } from './provider-key-cipher.ts';
import { makeCipher } from './sealing.ts';

const secret = Buffer.alloc(32, 7);
const { seal, open } = makeProviderKeyCipher(secret);
const associatedData: ProviderKeyRow = { organizationId: 'org-1' as OrganizationId, provider: 'openai', id: 'key-1' };
const key = 'sk-planted-0123456789';

describe('a sealed key', () => {
  it('opens where it belongs, whatever it holds', () => {
    for (const each of [key, 'x', 'k'.repeat(4096)]) expect(open(associatedData, seal(associatedData, each))).toBe(each);
  });

  it('shows nothing of the key, and is another text each time', () => {
    const sealed = [seal(associatedData, key), seal(associatedData, key)];
    expect(sealed[0]).not.toBe(sealed[1]);
    for (const text of sealed) {
      expect(text).toMatch(/^v1\.[\w-]+$/);
      expect(Buffer.from(text.slice(3), 'base64url').includes('planted')).toBe(false);
    }
  });

  it.each([
    ['another organisation', { organizationId: 'org-2' as OrganizationId }],
    ['another provider', { provider: 'anthropic' }],
    ['another row', { id: 'key-2' }],
  ])('does not open in %s', (_where, other) => {
    expect(open({ ...associatedData, ...other }, seal(associatedData, key))).toBeUndefined();
  });

  it('does not open with another secret, nor once a bit of it has changed', () => {
    const sealed = seal(associatedData, key);
    expect(makeProviderKeyCipher(Buffer.alloc(32, 8)).open(associatedData, sealed)).toBeUndefined();
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(open(associatedData, `v1.${changed.toString('base64url')}`)).toBeUndefined();
    }
    for (const broken of ['', 'v1.', 'v1.AAAA', sealed.slice(0, -6), sealed.replace('v1.', 'v2.')]) {
      expect(open(associatedData, broken)).toBeUndefined();
    }
  });

  it('of one purpose does not open for another', () => {
    const sealed = makeCipher(secret, 'webhooks').seal(['org-1', 'row-1'], key);
    expect(makeCipher(secret, 'webhooks').open(['org-1', 'row-1'], sealed)).toBe(key);
    expect(makeCipher(secret, 'channels').open(['org-1', 'row-1'], sealed)).toBeUndefined();
  });

  it('opens as it was sealed by the first release', () => {
    expect(open(associatedData, 'v1.MPgSrZgW4sw-DxZ9JvUH84SkjCiH5bW9Cmb9N25-zG5Utb6hVCLCjHe5EJhuVsJ1jA')).toBe(key);
  });

  it('is not under the secret itself, which signs addresses', () => {
    const bytes = Buffer.from(seal(associatedData, key).slice(3), 'base64url');
    const opener = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(-16));
    opener.setAAD(Buffer.from(JSON.stringify(['org-1', 'openai', 'key-1']))).update(bytes.subarray(12, -16));
    expect(() => opener.final()).toThrow('authenticate');
  });
});
