import path from 'node:path';
import type { Config } from '../config/load.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import type { SqliteMode } from '../platform/sqlite/database.ts';
import type { MetadataDatabase } from './database.ts';
import { hasMetadata } from './metadata-file.ts';
import { openMigratedMetadata } from './migrate.ts';

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
