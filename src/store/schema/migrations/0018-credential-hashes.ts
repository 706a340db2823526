import type { Migration } from './migration.ts';

/** With which credential a call was made, as a keyed hash: only a read with the same one completes it. Empty for calls from before. */
export const credentialHashes: Migration = {
  number: 18,
  name: 'hashes of credentials',
  statements: ['ALTER TABLE requests ADD COLUMN IF NOT EXISTS credential_hash String'],
};
