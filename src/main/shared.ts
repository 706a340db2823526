import path from 'node:path';
import type { Config } from '../config/load.ts';
import { type ProcessLock, takeLock } from '../platform/process-lock.ts';

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

/** @throws with a sentence for people: this version keeps metadata and shared state in the data folder only. */
export function rejectUnsupportedSettings(config: Config): void {
  if (config.databaseUrl !== undefined) {
    throw new Error('GATELOG_DATABASE_URL is set, and this version keeps metadata in the embedded database only; unset it.');
  }
  if (config.redisUrl !== undefined) {
    throw new Error(
      'GATELOG_REDIS_URL is set, and this version keeps the counts of limits and the response cache in the data folder only; unset it.',
    );
  }
}
