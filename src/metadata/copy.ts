import path from 'node:path';
import { copySqlite, type SqliteCopy } from '../platform/sqlite/copy.ts';
import { metadataFileName } from './metadata-file.ts';

/** What becomes of secrets in a copy without them. They are encrypted, and leave the machine only on request. */
const secretTables = [
  // A session lives without the tokens of the issuer too, but no group would end it any more.
  { table: 'person_sessions', removal: 'DELETE FROM person_sessions', isCounted: false },
  { table: 'provider_keys', removal: 'DELETE FROM provider_keys', isCounted: true },
  // Without its secret a webhook signs nothing and so sends nothing, until its secret is replaced.
  { table: 'webhooks', removal: "UPDATE webhooks SET sealed = '', previous_sealed = NULL, previous_ends_at = NULL", isCounted: true },
] as const;

export interface CopyOptions {
  /** Pending changes are copied up to this sequence. */
  readonly lastPendingChange: number;
  readonly secrets: boolean;
}

export interface MetadataCopy {
  /** Names of its migrations. */
  readonly steps: readonly string[];
  readonly secretsLeftOut: number;
}

/**
 * Copies a consistent snapshot of the metadata database while others write it, off this thread. @param file that does not exist yet.
 * @throws when the disk or the database fails.
 */
export async function copyMetadata(dataDir: string, file: string, { lastPendingChange, secrets }: CopyOptions): Promise<MetadataCopy> {
  let secretsLeftOut = 0;
  const steps = await copySqlite(path.join(dataDir, metadataFileName), file, async (copy) => {
    await copy.exec(`DELETE FROM pending_changes WHERE seq > ${lastPendingChange}`);
    secretsLeftOut = secrets ? 0 : await removeSecrets(copy);
  });
  return { steps, secretsLeftOut };
}

async function removeSecrets({ exec, rows }: SqliteCopy): Promise<number> {
  let removed = 0;
  for (const { table, removal, isCounted } of secretTables) {
    const known = await rows(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name = '${table}'`);
    if (known.length === 0) continue;
    const [found] = await rows<{ readonly total: number }>(`SELECT count(*) AS total FROM ${table}`);
    if (isCounted) removed += found?.total ?? 0;
    await exec(removal);
  }
  return removed;
}
