import { hashKey } from './api-key.ts';
import { AuthFailureLimiter } from './auth-failure-limiter.ts';
import { explainRejection } from './rejection.ts';
import { KeyVerifier } from './verify.ts';
import type { Config } from '../config/load.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import { makeKeyLookUp } from '../metadata/organization/api-keys.ts';
import type { GatelogError } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';

const dayMs = 86_400_000;

type LookUpConfig = Pick<Config, 'personKeyDays' | 'oidcIssuer'>;

/** Looks a valid key up by its hash, without a cache. Without an issuer nobody could sign in, and keys of people go on. */
function keyLookUp(database: MetadataDatabase, { personKeyDays, oidcIssuer }: LookUpConfig): ReturnType<typeof makeKeyLookUp> {
  const isBounded = oidcIssuer !== undefined && personKeyDays > 0;
  return makeKeyLookUp(database, isBounded ? () => systemClock.now() - personKeyDays * dayMs : undefined);
}

/** Says why a key is refused. */
export function rejectionsOf(
  database: MetadataDatabase,
  config: LookUpConfig & Pick<Config, 'region' | 'regions'>,
): (key: string | undefined) => GatelogError {
  const [lookUp, lookUpValid] = [makeKeyLookUp(database), keyLookUp(database, config)];
  const isAsleep = (key: string): boolean => {
    const hash = hashKey(key);
    try {
      return lookUp(hash)?.personId !== undefined && lookUpValid(hash) === undefined;
    } catch {
      // The database cannot be read: then nobody knows more of the key than that it was refused.
      return false;
    }
  };
  return (key) => explainRejection(key, { ...config, isAsleep });
}

/** Checks keys against the metadata database, cached. May throw GatelogError `metadata_unavailable`. */
export function keyVerifier(database: MetadataDatabase, config: Config, observe: Observe): KeyVerifier['verify'] {
  const verifier = new KeyVerifier({
    lookUp: keyLookUp(database, config),
    monotonic: systemClock.monotonic,
    staleMaxMs: config.keyStaleMaxMs,
    observe,
  });
  return (keyHash) => verifier.verify(keyHash);
}

/** Limits rejected keys, per process. */
export function failedKeysOf({ authFailuresPerMinute }: Config): AuthFailureLimiter {
  return new AuthFailureLimiter({ maxPerMinute: authFailuresPerMinute, monotonic: systemClock.monotonic });
}
