import { constants, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

const templates = path.resolve('.cache/started-folders');
/** What a first start makes: the organisation with its key, and a store with all tables. */
const parts = ['metadata.db', 'metadata.db-wal', 'events.db', 'events.db-wal', 'secret.key', 'clickhouse'];

/** The data folder after a first start of this build. */
function template(): string {
  return path.join(templates, readFileSync('dist/.built-from', 'utf8').slice(0, 16));
}

/**
 * Fills an empty data folder with what the first start of the test's organisation makes, which saves the start a second of work.
 * @param makeFirst starts and stops the service on a folder; it is called by one process of a run, the others go without meanwhile.
 */
export async function fillAsStarted(dataDir: string, makeFirst: (folder: string) => Promise<void>): Promise<void> {
  if (!existsSync(dataDir) || readdirSync(dataDir).length > 0) return;
  if (!existsSync(template()) && !(await makeTemplate(makeFirst))) return;
  for (const part of parts) {
    const from = path.join(template(), part);
    if (existsSync(from)) cpSync(from, path.join(dataDir, part), { recursive: true, mode: constants.COPYFILE_FICLONE });
  }
}

/** @returns false when another process is making it. */
async function makeTemplate(makeFirst: (folder: string) => Promise<void>): Promise<boolean> {
  mkdirSync(templates, { recursive: true });
  try {
    mkdirSync(`${template()}.making`);
  } catch {
    return false;
  }
  const folder = mkdtempSync(`${template()}-`);
  try {
    await makeFirst(folder);
    renameSync(folder, template());
  } finally {
    rmSync(`${template()}.making`, { recursive: true });
    rmSync(folder, { recursive: true, force: true });
  }
  return true;
}
