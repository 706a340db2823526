import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { beginBackup } from './write-backup.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-backup-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['below a folder that is not there', 'nowhere/backup', 'ENOENT'],
  ['below a file', 'file/backup', 'ENOTDIR'],
])('a folder that cannot be made (%s) is one sentence with its name and what to do', (_what, name, code) => {
  writeFileSync(path.join(folder, 'file'), '');
  const given = path.join(folder, name);
  const sentence = `The folder ${given} cannot be made (${code}). Name one that does not exist yet, in a folder that is there and that this user can write.`;
  expect(() => beginBackup(given)).toThrow(
    code === 'ENOTDIR' ? /file\/backup is there and not empty|cannot be made \(ENOTDIR\)/ : sentence,
  );
});
