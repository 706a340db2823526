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

type KeyConfig = Pick<Config, 'personKeyDays' | 'region' | 'regions'>;

/** Looks a valid key up by its hash, without a cache. */
function keyLookUp(database: MetadataDatabase, { personKeyDays }: Pick<Config, 'personKeyDays'>): ReturnType<typeof makeKeyLookUp> {
  return makeKeyLookUp(database, personKeyDays === 0 ? undefined : () => systemClock.now() - personKeyDays * dayMs);
}

/** Says why a key is refused. May throw when the metadata database cannot be read. */
export function rejectionsOf(database: MetadataDatabase, config: KeyConfig): (key: string | undefined) => GatelogError {
  const lookUp = makeKeyLookUp(database);
  return (key) => explainRejection(key, { ...config, isAsleep: (one) => lookUp(hashKey(one)) !== undefined });
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
