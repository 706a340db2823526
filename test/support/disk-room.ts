import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A place on the disk, or a process, that can run out of room. */
export interface DiskRoom {
  readonly fill: () => void;
  readonly free: () => void;
}

/** A process for which every disk is full: its files may not grow (`RLIMIT_FSIZE`). Any user may do that to a process of theirs. */
export function roomOfProcess(pid: number): DiskRoom {
  const limit = (most: string): void => {
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${most}:`]);
  };
  return { fill: () => limit('0'), free: () => limit('unlimited') };
}

/** A folder on a small disk of its own in memory; only the system's administrator can make one. */
export interface SmallDisk extends DiskRoom {
  readonly remove: () => void;
}

/** Mounts a small disk on a folder. @returns undefined where this user may not. */
export function mountSmallDisk(folder: string, bytes: number): SmallDisk | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=0700`, 'gatelog-test', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const filler = path.join(folder, '.filler');
  return {
    fill: () => {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
    },
    free: () => rmSync(filler, { force: true }),
    remove: () => execFileSync('umount', ['-l', folder]),
  };
}
