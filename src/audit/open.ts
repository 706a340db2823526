import path from 'node:path';
import type { Config } from '../config/load.ts';
import type { NoteAudit } from '../model/audit.ts';
import { messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import { LogSync } from '../platform/sqlite/log-sync.ts';
import { auditFileName, openAuditDatabase } from './database.ts';
import { makeNoteAudit } from './note.ts';
import { pruneAudit } from './prune.ts';
import { type AuditPage, type AuditSearch, searchAudit } from './search.ts';

/** Who has changed, read and signed in. Invariant: entries are added and grow old; nothing changes one. */
export interface Audit {
  readonly note: NoteAudit;
  readonly search: (search: AuditSearch) => Promise<AuditPage>;
  readonly close: () => Promise<void>;
}

const dayMs = 86_400_000;
const pruneEveryMs = 3_600_000;

/** @param now Unix milliseconds. */
export async function openAudit(config: Pick<Config, 'dataDir' | 'auditDays'>, now: () => number, observe: Observe): Promise<Audit> {
  const database = await openAuditDatabase(config.dataDir, now, observe);
  const log = new LogSync(path.join(config.dataDir, auditFileName));
  let pruning: Promise<unknown> = Promise.resolve();
  const prune = (): void => {
    pruning = pruneAudit(database, now() - config.auditDays * dayMs).catch((error: unknown) =>
      observe({ kind: 'audit_failed', reason: messageOf(error) }),
    );
  };
  const timer = setInterval(prune, pruneEveryMs).unref();
  prune();
  return {
    note: makeNoteAudit({ database, sync: () => log.synced(), now, observe }),
    search: (search) => searchAudit(database, search),
    close: async () => {
      clearInterval(timer);
      await pruning;
      await database.close();
      await log.close();
    },
  };
}
