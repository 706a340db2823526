import type { Migration } from './migration.ts';

/** Whether a call named its session or its prompt by upstream's headers: its properties are then shown under those names. */
export const aliasedNames: Migration = {
  number: 10,
  name: 'aliased names',
  statements: ['ALTER TABLE requests ADD COLUMN IF NOT EXISTS aliased_names Bool'],
};
