import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts secrets for the database. */
export interface Cipher {
  /** @param associatedData of the secret, authenticated with it: organisation, row and whatever else it belongs to. */
  readonly seal: (associatedData: readonly string[], secret: string) => string;
  /** @returns undefined when it was sealed with another secret of the deployment, for another place, or is damaged. */
  readonly open: (associatedData: readonly string[], sealed: string) => string | undefined;
}

/** Released texts never change: a key is derived from each. */
const purposes = {
  providerKeys: 'gatelog: keys of providers at rest',
  webhooks: 'gatelog: secrets of webhooks at rest',
  channels: 'gatelog: secrets of channels at rest',
  sessions: 'gatelog: tokens of sessions at rest',
  signIns: 'gatelog: sign-ins that have begun',
  credentials: 'gatelog: hashes of credentials at providers',
  clients: 'gatelog: addresses of clients between workers and core',
} as const;

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
/** The nonce size of GCM. Nonces are random: 2^32 encryptions with one key are safe. */
const nonceBytes = 12;
const tagBytes = 16;
const hashBytes = 16;
/** Version of the sealed form. */
const version = 'v1.';

/** The hash of a text, 22 characters: equal for equal texts under one secret, and without it no guess of a text can be tried. */
export type HashCredential = (text: string) => string;

/** HMAC-SHA256, cut to 128 bits, under a derived key. @param secret the deployment's, 32 bytes or more. */
export function makeCredentialHash(secret: Uint8Array): HashCredential {
  const key = derivedKey(secret, 'credentials');
  return (text) => createHmac('sha256', key).update(text).digest().subarray(0, hashBytes).toString('base64url');
}

/** What a gateway worker shows the core with the address of a client. @param secret the deployment's, 32 bytes or more. */
export function clientAddressMark(secret: Uint8Array): string {
  return derivedKey(secret, 'clients').toString('base64url');
}

/** Invariant: no other use of the deployment's secret shares it; HKDF (RFC 5869) derives a key per purpose. */
function derivedKey(secret: Uint8Array, purpose: keyof typeof purposes): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purposes[purpose], keyBytes));
}

/** AES-256-GCM under a derived key. @param secret the deployment's, 32 bytes or more. */
export function makeCipher(secret: Uint8Array, purpose: Exclude<keyof typeof purposes, 'credentials' | 'clients'>): Cipher {
  const cipherKey = derivedKey(secret, purpose);
  return {
    seal: (associatedData, text) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, cipherKey, nonce, { authTagLength: tagBytes }).setAAD(additionalData(associatedData));
      const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return version + Buffer.concat(parts).toString('base64url');
    },
    open: (associatedData, sealed) => {
      const bytes = Buffer.from(sealed.slice(version.length), 'base64url');
      if (!sealed.startsWith(version) || bytes.length < nonceBytes + tagBytes) return undefined;
      const decipher = createDecipheriv(algorithm, cipherKey, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAAD(additionalData(associatedData)).setAuthTag(bytes.subarray(-tagBytes));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

function additionalData(associatedData: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(associatedData));
}
