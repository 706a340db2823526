import type { MetadataDatabase, MetadataQueries } from '../database.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';

/** Hashes are SHA-256 in hexadecimal, times Unix milliseconds. */
export interface BrowserSession {
  readonly tokenHash: string;
  /** Of the key for which it stands. */
  readonly keyHash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Adds a session and removes those that have expired, and the key's oldest beyond `maxOfKey`. Durable on return in the core. */
export async function addBrowserSession(database: MetadataQueries, session: BrowserSession, maxOfKey: number): Promise<void> {
  const { tokenHash, keyHash, createdAt, expiresAt } = session;
  await inWriteTransaction(database, async ({ queries }) => {
    await queries.deleteFrom('browser_sessions').where('expires_at', '<=', createdAt).execute();
    const oldest = queries
      .selectFrom('browser_sessions')
      .select('token_hash')
      .where('key_hash', '=', keyHash)
      .orderBy('created_at', 'desc')
      .limit(-1)
      .offset(maxOfKey - 1);
    await queries.deleteFrom('browser_sessions').where('token_hash', 'in', oldest).execute();
    await queries
      .insertInto('browser_sessions')
      .values({ token_hash: tokenHash, key_hash: keyHash, created_at: createdAt, expires_at: expiresAt })
      .execute();
  });
}

/** Durable on return in the core. */
export async function endBrowserSession({ queries }: MetadataQueries, tokenHash: string): Promise<void> {
  await queries.deleteFrom('browser_sessions').where('token_hash', '=', tokenHash).execute();
}

/** Prepares the look-up; some microseconds each. It knows expired sessions too. */
export function makeBrowserSessionLookUp(database: MetadataDatabase): (tokenHash: string) => Omit<BrowserSession, 'tokenHash'> | undefined {
  const statement = database.prepare(
    database.queries.selectFrom('browser_sessions').select(['key_hash', 'created_at', 'expires_at']).where('token_hash', '=', ''),
  );
  return (tokenHash) => {
    const row = statement.first(tokenHash);
    return row && { keyHash: row.key_hash, createdAt: row.created_at, expiresAt: row.expires_at };
  };
}
