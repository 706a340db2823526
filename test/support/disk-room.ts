import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, openSync, closeSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** A disk that can run full. */
export interface DiskSpace {
  readonly fill: () => Promise<void>;
  readonly free: () => void;
}

/** Runs a system program. @throws when it fails. */
function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ended with ${String(status)}: ${stderr}`);
}

/** A small disk in memory that is mounted on a folder; only root can mount it. */
export interface SmallDisk extends DiskSpace {
  readonly remove: () => void;
}

const [mountProgram, unmountProgram] = ['mount', 'umount'];
/** The disk fills in steps, so that the service has a moment to notice. */
const stepBytes = 1024 * 1024;
const stepMs = 20;

/** Mounts a small disk on a folder. @returns undefined when this user may not mount. */
export function mountSmallDisk(folder: string, bytes: number): SmallDisk | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    run(mountProgram, ['-t', 'tmpfs', '-o', `size=${bytes},mode=0700`, 'gatelog-test', folder]);
  } catch {
    return undefined;
  }
  const filler = path.join(folder, '.filler');
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  return {
    fill: async () => {
      const file = openSync(filler, 'w');
      for (let free = freeBytes(); free > 0; free = freeBytes()) {
        writeSync(file, Buffer.alloc(Math.min(free, stepBytes)));
        await wait(stepMs);
      }
      closeSync(file);
    },
    free: () => rmSync(filler, { force: true }),
    remove: () => run(unmountProgram, ['-l', folder]),
  };
}
