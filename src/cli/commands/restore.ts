import path from 'node:path';
import type { Manifest } from '../../jobs/backup/manifest.ts';
import { restoreBackup } from '../../jobs/backup/restore-backup.ts';
import { rejectUnsupportedSettings } from '../../main/shared.ts';
import { isLocked } from '../../platform/process-lock.ts';
import { type CommandContext, CommandError } from '../base/dependencies.ts';
import { shownAmount } from '../base/progress.ts';

/** `gatelog restore`: makes the data folder out of a backup and prints it. */
export async function restore(context: CommandContext, given: string): Promise<void> {
  const { config } = context;
  rejectUnsupportedSettings(config);
  const dataDir = path.resolve(config.dataDir);
  if (['supervisor.lock', 'core.lock'].some((name) => isLocked(path.join(dataDir, name)))) {
    throw new CommandError(`A Gatelog runs in ${dataDir}. Stop it, and restore into a folder that does not exist yet (GATELOG_DATA_DIR).`);
  }
  try {
    const onProgress = (done: number, all: number): void => context.progress(`Restored ${done} of ${all} files`);
    const manifest = await restoreBackup({ backup: path.resolve(given), dataDir, onProgress });
    context.progress('');
    context.print(dataDir);
    for (const line of summaryOf(manifest)) context.hint(line);
  } finally {
    context.progress('');
  }
}

function summaryOf({ begunAt, version, rows, secrets, secretsLeftOut }: Manifest): readonly string[] {
  const whole = `Restored ${shownAmount(rows['requests'] ?? 0, 'request')}, and what was on its way to the store, as of ${begunAt} (Gatelog ${version}). "gatelog serve" goes on from there.`;
  if (secrets) return [whole];
  const keys =
    secretsLeftOut === 0
      ? ''
      : `; the ${secretsLeftOut} keys of providers and secrets of webhooks that organisations had stored are not in it: store the keys again, and replace the secrets`;
  return [
    whole,
    `The backup was made without secrets: a secret key is made at the next start, and signed addresses given out before end${keys}.`,
  ];
}
