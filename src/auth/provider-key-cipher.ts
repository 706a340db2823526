import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { OrganizationId } from '../model/ids.ts';

/** The row of a sealed key. It is authenticated with the key: the key does not open in another organisation's or provider's row. */
export interface ProviderKeyRow {
  readonly organizationId: OrganizationId;
  readonly provider: string;
  readonly id: string;
}

/** Encrypts keys of providers for the database. */
export interface ProviderKeyCipher {
  readonly seal: (row: ProviderKeyRow, key: string) => string;
  /** @returns undefined when it was sealed with another secret, for another row, or is damaged. */
  readonly open: (row: ProviderKeyRow, sealed: string) => string | undefined;
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
/** The nonce size of GCM. Nonces are random: 2^32 encryptions with one key are safe. */
const nonceBytes = 12;
const tagBytes = 16;
/** Version of the sealed form. */
const version = 'v1.';

/**
 * AES-256-GCM under a derived key. Invariant: no other use of the deployment's secret shares it; HKDF (RFC 5869) derives a key per
 * purpose. @param secret the deployment's, 32 bytes or more.
 */
export function makeProviderKeyCipher(secret: Uint8Array): ProviderKeyCipher {
  const cipherKey = Buffer.from(hkdfSync('sha256', secret, '', 'gatelog: keys of providers at rest', keyBytes));
  return {
    seal: (row, key) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, cipherKey, nonce, { authTagLength: tagBytes }).setAAD(additionalData(row));
      const parts = [nonce, cipher.update(key, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return version + Buffer.concat(parts).toString('base64url');
    },
    open: (row, sealed) => {
      const bytes = Buffer.from(sealed.slice(version.length), 'base64url');
      if (!sealed.startsWith(version) || bytes.length < nonceBytes + tagBytes) return undefined;
      const decipher = createDecipheriv(algorithm, cipherKey, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAAD(additionalData(row)).setAuthTag(bytes.subarray(-tagBytes));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

function additionalData({ organizationId, provider, id }: ProviderKeyRow): Buffer {
  return Buffer.from(JSON.stringify([organizationId, provider, id]));
}
