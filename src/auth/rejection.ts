import { GatelogError } from '../model/errors.ts';
import { looksLikeOurKey, regionOf } from './api-key.ts';

/** This deployment and its siblings. */
export interface KnownRegions {
  readonly region: string;
  /** Addresses of the deployments by region. */
  readonly regions: Readonly<Record<string, string>>;
}

interface Known extends KnownRegions {
  readonly personKeyDays: number;
  /** Whether a refused key works once its person signs in again. */
  readonly isAsleep: (key: string) => boolean;
}

/**
 * The error for a request without a valid key. Its sentence never contains the key. @param key the key that was sent, undefined without
 * one.
 */
export function explainRejection(key: string | undefined, known: Known): GatelogError {
  const example = `sk-svc-${known.region}-…`;
  if (key === undefined || key === '') {
    return new GatelogError(
      'missing_key',
      `No Gatelog key was sent; send the header "Authorization: Bearer ${example}", or at the gateway "Svc-Auth: Bearer ${example}".`,
    );
  }
  if (!looksLikeOurKey(key)) return new GatelogError('invalid_key', `What was sent is not a Gatelog key; a key reads ${example}.`);
  const elsewhere = wrongRegion(key, known);
  if (elsewhere !== undefined) return elsewhere;
  return new GatelogError(
    'invalid_key',
    known.isAsleep(key)
      ? `The person of this Gatelog key has not signed in for ${known.personKeyDays} days; it works again once they sign in to the dashboard.`
      : 'This Gatelog key is unknown or revoked; create one with "gatelog keys create" or ask for one in your organisation.',
  );
}

/**
 * TRICKY: regions and custom keys may both contain hyphens, so `sk-svc-us-east-x` may be a key of `us` or of `us-east`. A region with a
 * known address wins; else a key with our region's prefix is ours.
 */
function wrongRegion(key: string, { region, regions }: KnownRegions): GatelogError | undefined {
  const named = regionOf(key);
  if (named === undefined || named === region) return undefined;
  const address = Object.hasOwn(regions, named) ? regions[named] : undefined;
  if (address === undefined && key.startsWith(`sk-svc-${region}-`)) return undefined;
  const remedy = address === undefined ? `use the address of ${named}, or a key that reads sk-svc-${region}-…` : `use ${address} instead`;
  return new GatelogError('wrong_region', `This key belongs to the region ${named} and this is ${region}; ${remedy}.`);
}
