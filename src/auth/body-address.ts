import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseUuid, type RequestId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';

/** Lifetime of an address, milliseconds. */
export const bodyAddressMs = 60 * 60 * 1000;

export interface BodyAddressQuery {
  readonly organization: string | undefined;
  /** Unix milliseconds as text. */
  readonly expires: string | undefined;
  readonly signature: string | undefined;
  /** Who got the address; undefined: nobody in particular, as in an event. */
  readonly by: string | undefined;
}

/** Whose bodies they are, and who got the address. */
export type BodyAddressOwner = Pick<Principal, 'organizationId'> & Partial<Pick<Principal, 'keyId' | 'personId'>>;

/** Unix milliseconds. */
const plainTime = /^\d{1,15}$/;

/** Why an address is rejected. */
export type BodyAddressFault = 'expired' | 'forged';

export interface BodyAddresses {
  /** Path and query that give access to a request's bodies without a key, for an hour. */
  readonly pathOf: (owner: BodyAddressOwner, requestId: RequestId) => string;
  readonly check: (requestId: RequestId, query: BodyAddressQuery) => BodyAddressOwner | BodyAddressFault;
}

/**
 * Signed URLs of bodies: an HMAC-SHA256 over organisation, identifier, expiry and who got the address. @param secret 32 bytes or more. @param now Unix
 * milliseconds.
 */
export function makeBodyAddresses(secret: Uint8Array, now: () => number): BodyAddresses {
  const signatureOf = (organizationId: string, requestId: RequestId, expires: string, by: string): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['body', organizationId, requestId, expires, by]))
      .digest();
  return {
    pathOf: ({ organizationId, keyId, personId }, requestId) => {
      const expires = String(now() + bodyAddressMs);
      const by = [keyId, personId].filter((one) => one !== undefined).join('.');
      const signature = signatureOf(organizationId, requestId, expires, by).toString('base64url');
      const query = `organization=${organizationId}&expires=${expires}${by === '' ? '' : `&by=${by}`}&signature=${signature}`;
      return `/v1/request/${requestId}/body?${query}`;
    },
    check: (requestId, { organization = '', expires = '', signature = '', by = '' }) => {
      const organizationId = parseUuid(organization);
      if (organizationId === undefined || !plainTime.test(expires)) return 'forged';
      const given = Buffer.from(signature, 'base64url');
      const expected = signatureOf(organizationId, requestId, expires, by);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged';
      if (now() > Number(expires)) return 'expired';
      const [keyId, personId] = by.split('.');
      return { organizationId, ...(by === '' ? {} : { keyId }), ...(personId === undefined ? {} : { personId }) };
    },
  };
}
