import { AuthFailureLimiter } from './auth-failure-limiter.ts';
import { KeyVerifier } from './verify.ts';
import type { Config } from '../config/load.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import { makeKeyLookUp } from '../metadata/organization/api-keys.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';

/** Checks keys against the metadata database, cached. May throw GatelogError `metadata_unavailable`. */
export function keyVerifier(database: MetadataDatabase, config: Config, observe: Observe): KeyVerifier['verify'] {
  const verifier = new KeyVerifier({
    lookUp: makeKeyLookUp(database),
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
