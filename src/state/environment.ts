import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import type { Observe } from '../model/observation.ts';
import { ensureFolder, readFileIfPresent } from '../platform/files.ts';

/** Key-value tables that several processes of one machine read and change at once. */
export type Environment = RootDatabase<unknown, string[]>;

/**
 * Opens the small state that the workers of one machine share: a memory-mapped file.
 *
 * Invariant: it survives the death of any process, as the kernel has what was written. TRICKY: nothing is synced to the disk, so a power loss
 * may leave it damaged without a sign. So each boot of the machine has a file of its own and earlier ones are thrown away, which is said: what
 * is in here may be lost then, cached replies and the counts of running windows.
 * @param mapBytes size of the map at the beginning. TRICKY: LMDB's binding makes it larger when more is needed, so each table keeps a limit of its own.
 */
export function openEnvironment(folder: string, mapBytes: number, observe: Observe): Environment {
  ensureFolder(folder);
  const name = `state-${readBootId()}.mdb`;
  const others = readdirSync(folder).filter((file) => file.startsWith('state-') && file !== name && file !== `${name}-lock`);
  for (const file of others) rmSync(path.join(folder, file), { force: true });
  if (others.some((file) => file.endsWith('.mdb'))) observe({ kind: 'state_discarded', reason: 'the machine was started anew' });
  return open(path.join(folder, name), { mapSize: mapBytes, maxDbs: 8, noSync: true, noSubdir: true });
}

/** Linux names each boot. Elsewhere nothing tells one from the next, so all count as one. */
function readBootId(): string {
  const id = process.platform === 'linux' ? readFileIfPresent('/proc/sys/kernel/random/boot_id')?.trim() : undefined;
  return id ?? 'any';
}
