import type { Kysely } from 'kysely';
import type { MetadataTables } from '../schema.ts';

/**
 * One numbered step of the metadata schema, in the common subset of SQLite and Postgres: text, integer and bigint columns, plain indexes.
 * A step that was released is never changed again.
 */
export interface Migration {
  /** Four digits and words; its own identity in `schema_migrations`. */
  readonly name: string;
  readonly apply: (queries: Kysely<MetadataTables>) => Promise<void>;
}
