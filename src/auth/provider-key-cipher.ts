import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { OrganizationId } from '../model/ids.ts';

/** Where a sealed key belongs. It is authenticated with the key: in another organisation's row, or another provider's, it does not open. */
export interface ProviderKeyPlace {
  readonly organizationId: OrganizationId;
  readonly provider: string;
  readonly id: string;
}

/** Seals keys of providers for the database, and opens them. */
export interface ProviderKeyCipher {
  readonly seal: (place: ProviderKeyPlace, key: string) => string;
  /** @returns undefined when it was sealed with another secret, for another place, or was damaged. */
  readonly open: (place: ProviderKeyPlace, sealed: string) => string | undefined;
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
/** GCM's own size. It is random: with one key, 2^32 sealings are safe. */
const nonceBytes = 12;
const tagBytes = 16;
/** Form of the sealed text, for the day on which there is another. */
const version = 'v1.';

/**
 * AES-256-GCM under a key of its own. Invariant: no other use of the deployment's secret shares it; HKDF (RFC 5869) parts them by their purpose.
 * @param secret the deployment's, 32 bytes or more.
 */
export function makeProviderKeyCipher(secret: Uint8Array): ProviderKeyCipher {
  const cipherKey = Buffer.from(hkdfSync('sha256', secret, '', 'gatelog: keys of providers at rest', keyBytes));
  return {
    seal: (place, key) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, cipherKey, nonce, { authTagLength: tagBytes }).setAAD(boundTo(place));
      const parts = [nonce, cipher.update(key, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return version + Buffer.concat(parts).toString('base64url');
    },
    open: (place, sealed) => {
      const bytes = Buffer.from(sealed.slice(version.length), 'base64url');
      if (!sealed.startsWith(version) || bytes.length < nonceBytes + tagBytes) return undefined;
      const decipher = createDecipheriv(algorithm, cipherKey, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAAD(boundTo(place)).setAuthTag(bytes.subarray(-tagBytes));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

function boundTo({ organizationId, provider, id }: ProviderKeyPlace): Buffer {
  return Buffer.from(JSON.stringify([organizationId, provider, id]));
}
