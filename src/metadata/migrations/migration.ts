import type * as sqlite from '../../platform/sqlite/migrate.ts';
import type { MetadataTables } from '../schema/schema.ts';

export type Migration = sqlite.Migration<MetadataTables>;
