import path from 'node:path';
import { snapshotAnswerSchema } from '../../contract/operator.ts';
import type { Manifest } from '../../jobs/backup/manifest.ts';
import { beginBackup, writeBackup } from '../../jobs/backup/write-backup.ts';
import { type CommandContext, CommandError } from '../base/dependencies.ts';
import { operatorClient } from '../base/operator-client.ts';
import { shownAmount } from '../base/progress.ts';
import { packageVersion } from '../base/version.ts';

export interface BackupOptions {
  readonly withSecrets?: true;
}

/** `gatelog backup`: prints the folder of the backup. The service only links its files for the snapshot; this command copies them. */
export async function makeBackup(context: CommandContext, given: string, options: BackupOptions): Promise<void> {
  const secrets = options.withSecrets === true;
  const folder = path.resolve(given);
  if (!path.relative(path.resolve(context.config.dataDir), folder).startsWith('..')) {
    throw new CommandError('A backup in the data folder would go with it. Name a folder elsewhere, on another disk at best.');
  }
  const begunAt = new Date(context.now()).toISOString();
  const held = await operatorClient(context).hold({ method: 'POST', path: '/snapshot', body: { secrets } }, snapshotAnswerSchema);
  try {
    const manifest = await writeBackup(beginBackup(folder), {
      snapshot: held.answer.snapshot,
      snapshotFolder: held.answer.folder,
      begunAt,
      secrets,
      version: packageVersion(),
      signal: held.lost,
      onProgress: (done, all) => context.progress(`Copied ${done} of ${all} files`),
    });
    context.progress('');
    context.print(folder);
    for (const line of summaryOf(manifest, context)) context.hint(line);
  } finally {
    context.progress('');
    held.release();
  }
}

function summaryOf({ begunAt, rows, files, secrets, secretsLeftOut }: Manifest, { config }: CommandContext): readonly string[] {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const whole = `Everything that was answered by ${begunAt}: ${shownAmount(rows['requests'] ?? 0, 'request')} in the store and what was on its way there, ${bytes} bytes.`;
  if (!secrets) {
    const keys =
      secretsLeftOut === 0 ? '' : `, and the ${secretsLeftOut} keys of providers and secrets of webhooks that organisations have stored`;
    return [whole, `Without the secret key of the data folder${keys}; --with-secrets takes them along.`];
  }
  if (config.secretKey !== undefined) {
    return [
      whole,
      'GATELOG_SECRET_KEY, which seals the keys of providers and the secrets of webhooks, is a setting and not in it: keep it too.',
    ];
  }
  return [whole, 'It holds the secret key: whoever has it can read the keys of providers and the secrets of webhooks in it.'];
}
