import path from 'node:path';
import { AuthFailureLimiter } from '../auth/auth-failure-limiter.ts';
import { KeyVerifier } from '../auth/verify.ts';
import type { Config } from '../config/load.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import type { SqliteMode } from '../platform/sqlite/database.ts';
import { hasMetadata } from '../metadata/metadata-file.ts';
import { openMigratedMetadata } from '../metadata/migrate.ts';
import { makeKeyLookUp } from '../metadata/organization/api-keys.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';

/**
 * Opens and migrates the metadata database of an earlier start. @throws with a sentence for people when it is missing: an empty one would
 * refuse every key and store what redaction rules forbid.
 */
export async function openExistingMetadata(config: Config, mode: SqliteMode, observe: Observe): Promise<MetadataDatabase> {
  if (!hasMetadata(config.dataDir)) {
    throw new Error(
      `There is no metadata database in ${path.resolve(config.dataDir)}. Put it back, or begin in another folder with "gatelog serve".`,
    );
  }
  return openMigratedMetadata(config.dataDir, mode, systemClock.now, observe);
}

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
