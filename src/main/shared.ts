import path from 'node:path';
import { AuthFailureLimiter } from '../auth/auth-failure-limiter.ts';
import { KeyVerifier } from '../auth/verify.ts';
import type { Config } from '../config/load.ts';
import { makeKeyLookUp } from '../metadata/organization/api-keys.ts';
import { hasMetadata, type MetadataDatabase, type MetadataMode } from '../metadata/database.ts';
import { openMigratedMetadata } from '../metadata/migrate.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import { type ProcessLock, takeLock } from '../platform/process-lock.ts';

export function dataPaths(config: Config): {
  readonly spool: string;
  readonly store: string;
  readonly deadLetters: string;
  readonly secret: string;
  /** Shared by the workers while they run. */
  readonly state: string;
} {
  const inData = (name: string): string => path.join(config.dataDir, name);
  return {
    spool: inData('spool'),
    store: inData('clickhouse'),
    deadLetters: inData('dead-letters'),
    secret: inData('secret.key'),
    state: inData('state'),
  };
}

/**
 * Opens and migrates the metadata database of an earlier start. @throws with a sentence for people when it is missing: an empty one would
 * refuse every key and store what redaction rules forbid.
 */
export async function openExistingMetadata(config: Config, mode: MetadataMode, observe: Observe): Promise<MetadataDatabase> {
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

/** The holder of this file's lock is the core of the data folder. */
export function coreLockOf({ dataDir }: Config): string {
  return path.join(dataDir, 'core.lock');
}

/** @throws with a sentence that names the holder of the lock. */
export function holdLock(config: Config, file: string, role: string): ProcessLock {
  const lock = takeLock(file, `${role}, process ${process.pid}`);
  if ('heldBy' in lock) {
    throw new Error(
      `The data folder ${config.dataDir} is in use by another Gatelog (${lock.heldBy}). Stop that one, or set GATELOG_DATA_DIR to another folder.`,
    );
  }
  return lock;
}

/** @throws with a sentence for people: this version keeps records, metadata and shared state in the data folder only. */
export function rejectUnsupportedSettings(config: Config): void {
  if (config.clickhouseUrl !== undefined) {
    throw new Error('GATELOG_CLICKHOUSE_URL is set, and this version keeps records in the embedded store only; unset it.');
  }
  if (config.databaseUrl !== undefined) {
    throw new Error('GATELOG_DATABASE_URL is set, and this version keeps metadata in the embedded database only; unset it.');
  }
  if (config.redisUrl !== undefined) {
    throw new Error(
      'GATELOG_REDIS_URL is set, and this version keeps the counts of limits and the response cache in the data folder only; unset it.',
    );
  }
}
