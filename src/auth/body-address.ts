import { createHmac, timingSafeEqual } from 'node:crypto';
import { type OrganizationId, parseUuid, type RequestId } from '../model/ids.ts';

/** Lifetime of an address, milliseconds. */
export const bodyAddressMs = 60 * 60 * 1000;

export interface BodyAddressQuery {
  readonly organization: string | undefined;
  /** Unix milliseconds as text. */
  readonly expires: string | undefined;
  readonly signature: string | undefined;
}

/** Why an address is rejected. */
export type BodyAddressFault = 'expired' | 'forged';

export interface BodyAddresses {
  /** Path and query that give access to a request's bodies without a key, for an hour. */
  readonly pathOf: (organizationId: OrganizationId, requestId: RequestId) => string;
  /** @returns the organisation of the request. */
  readonly check: (requestId: RequestId, query: BodyAddressQuery) => OrganizationId | BodyAddressFault;
}

/**
 * Signed URLs of bodies: an HMAC-SHA256 over organisation, identifier and expiry. @param secret 32 bytes or more. @param now Unix
 * milliseconds.
 */
export function makeBodyAddresses(secret: Uint8Array, now: () => number): BodyAddresses {
  const signatureOf = (organizationId: string, requestId: RequestId, expires: string): Buffer =>
    createHmac('sha256', secret).update(`body\n${organizationId}\n${requestId}\n${expires}`).digest();
  return {
    pathOf: (organizationId, requestId) => {
      const expires = String(now() + bodyAddressMs);
      const signature = signatureOf(organizationId, requestId, expires).toString('base64url');
      return `/v1/request/${requestId}/body?organization=${organizationId}&expires=${expires}&signature=${signature}`;
    },
    check: (requestId, { organization = '', expires = '', signature = '' }) => {
      const organizationId = parseUuid(organization);
      if (organizationId === undefined) return 'forged';
      const given = Buffer.from(signature, 'base64url');
      const expected = signatureOf(organizationId, requestId, expires);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged';
      return now() > Number(expires) ? 'expired' : organizationId;
    },
  };
}
