import path from 'node:path';
import { openSqlite, type SqliteDatabase, type SqliteMode, type SqliteQueries } from '../platform/sqlite/database.ts';
import { metadataFileName } from './metadata-file.ts';
import type { MetadataTables } from './schema/schema.ts';

export type MetadataQueries = SqliteQueries<MetadataTables>;
export type MetadataDatabase = SqliteDatabase<MetadataTables>;

/** Opens `<dataDir>/metadata.db`; `migrateMetadata` creates the tables. */
export function openMetadata(dataDir: string, mode: SqliteMode): MetadataDatabase {
  return openSqlite<MetadataTables>(
    { path: path.join(dataDir, metadataFileName), name: 'metadata database', unavailable: 'metadata_unavailable' },
    mode,
  );
}
