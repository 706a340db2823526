import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import { type Pauses, whileResting } from './at-rest.ts';
import { isPlainFile, mappingsOf } from './mappings.ts';

/** A process rests with less than this share of a core. */
const restShare = 0.2;
/** A release takes some 15 ms of CPU. */
const pauses: Pauses = { afterWork: 10, afterTrickle: 10 };
/** A process with more bytes than this gives them back while it works as well. */
const muchBytes = 700 * 1024 * 1024;
/** Fewer bytes of files than this are not worth a release. */
const worthBytes = 16 * 1024 * 1024;
/** `MADV_DONTNEED` on every architecture of Linux. */
const dontNeed = 4;

export interface LibraryMemory {
  /** Share of one core that this process has used since the last call. */
  readonly busyShare: () => number;
  /** Bytes of files that this process has in memory. @throws where the system does not tell. */
  readonly fileBytes: () => number;
  /** All bytes that this process has in memory. @throws where the system does not tell. */
  readonly allBytes: () => number;
  /** @throws where the system has no such function, or refuses. */
  readonly release: () => Promise<void>;
}

/**
 * Gives the pages of a library back to the system while this process rests, or takes much memory. Loading a large one touches most of its
 * pages: initialisers all over it run, and the system maps 64 KiB at each touch. They are the file's own, so the system has them in its cache
 * as long as it has memory to spare, and a page that is needed again is mapped within microseconds. Elsewhere than on Linux it does nothing.
 * @param library the name of its file. @returns a function that ends this.
 */
export function releaseLibraryAtRest(library: string, observe: Observe, memory = ofThisProcess(library)): () => void {
  let kept = 0;
  let isReported = false;
  const fail = (error: unknown): void => {
    if (!isReported) observe({ kind: 'memory_kept', reason: `pages of ${library} stay in memory at rest: ${messageOf(error)}` });
    isReported = true;
  };
  if (process.platform !== 'linux') {
    fail(new Error(`${process.platform} has no function that gives them back`));
    return () => undefined;
  }
  const release = async (): Promise<void> => {
    try {
      await memory.release();
    } catch (error) {
      fail(error);
    }
    kept = memory.fileBytes();
  };
  const isWorthIt = (): boolean => {
    try {
      return memory.fileBytes() - kept >= worthBytes;
    } catch (error) {
      fail(error);
      return false;
    }
  };
  const busyShare = (): number => (hasMuch(memory) ? 0 : memory.busyShare());
  return whileResting({ busyShare, restShare, pauses, isWorthIt, giveBack: () => void release().catch(fail) });
}

/** TRICKY: Node reads a file for it, which throws in a process without free descriptors. */
function hasMuch({ allBytes }: LibraryMemory): boolean {
  try {
    return allBytes() > muchBytes;
  } catch {
    return false;
  }
}

function ofThisProcess(library: string): LibraryMemory {
  return { busyShare: processShare(), fileBytes, allBytes: () => process.memoryUsage.rss(), release: () => releaseLibrary(library) };
}

function processShare(): () => number {
  let lastAt = performance.now();
  let lastUsage = process.cpuUsage();
  return () => {
    const [at, usage] = [performance.now(), process.cpuUsage()];
    const usedMs = (usage.user + usage.system - lastUsage.user - lastUsage.system) / 1000;
    const share = usedMs / (at - lastAt);
    [lastAt, lastUsage] = [at, usage];
    return share;
  };
}

function fileBytes(): number {
  const kibibytes = /^RssFile:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
  if (kibibytes === undefined) throw new Error('the system does not tell how much of it is in memory');
  return Number(kibibytes) * 1024;
}

/**
 * Gives back the pages of a library that are unchanged. Threads that run its code meanwhile go on. @throws where the system has no such
 * function, or refuses.
 */
export async function releaseLibrary(library: string): Promise<void> {
  const mappings = mappingsOf(await readFile('/proc/self/smaps', 'latin1'), library).filter((mapping) => isPlainFile(mapping));
  if (mappings.length === 0) return;
  const { default: koffi } = await import('koffi');
  const advise = koffi.load(null).func('int madvise(uintptr_t address, size_t length, int advice)');
  for (const { start, end } of mappings) {
    if (advise(start, end - start, dontNeed) !== 0) throw new Error(`the system refused it with error number ${koffi.errno()}`);
  }
}
