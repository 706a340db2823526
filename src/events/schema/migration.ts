import type * as sqlite from '../../platform/sqlite/migrate.ts';
import type { EventsTables } from './schema.ts';

export type Migration = sqlite.Migration<EventsTables>;
