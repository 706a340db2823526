import { execFile } from 'node:child_process';
import { constants, existsSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/load.ts';
import type { Observe } from '../model/observation.ts';
import { damagedStateFile, mutexFile, stateCopyFile, stateFile } from './state-files.ts';
import { dataPaths } from '../config/data-paths.ts';

const worker = fileURLToPath(new URL(`./check-worker${path.extname(import.meta.url)}`, import.meta.url));
const checkMaxMs = 30_000;

/**
 * Checks the shared state and sets it aside when it is damaged: it holds only the response cache and the counts of running limit windows.
 * The file of its write lock is made again.
 * No process may have it open.
 */
export async function setDamagedStateAside(config: Config, observe: Observe): Promise<void> {
  const file = stateFile(dataPaths(config).state);
  const mutex = mutexFile(dataPaths(config).state);
  for (const left of [mutex, `${mutex}-lock`]) rmSync(left, { force: true });
  if (!existsSync(file)) return;
  const copy = stateCopyFile(dataPaths(config).state);
  const damage = await damageOf(file, copy);
  for (const left of [copy, `${copy}-lock`]) rmSync(left, { force: true });
  if (damage === undefined) return;
  const aside = damagedStateFile(dataPaths(config).state);
  renameSync(file, aside);
  rmSync(`${file}-lock`, { force: true });
  observe({
    kind: 'state_discarded',
    reason: `the shared state is damaged (${damage}) and was set aside as ${aside}; the response cache is empty, and limits and budgets count from zero`,
  });
}

/** @returns the damage in a few words; undefined also where no copy can be made, because the check writes. */
async function damageOf(file: string, copy: string): Promise<string | undefined> {
  try {
    await copyFile(file, copy, constants.COPYFILE_FICLONE);
  } catch {
    return undefined;
  }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [worker, copy], { timeout: checkMaxMs, killSignal: 'SIGKILL' }, (error, _output, stderr) => {
      if (error === null) resolve(undefined);
      else resolve(/^\w*Error: ([^\n]{1,200})/m.exec(stderr)?.[1] ?? child.signalCode ?? `exit code ${String(child.exitCode)}`);
    });
  });
}
