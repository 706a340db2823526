import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const sampleMs = 1000;
/** Rest is so many samples in a row in which a thread or process was busy for less than its share. */
const restSamples = 3;

/** Pauses between two times that memory is given back, in samples. */
export interface Pauses {
  readonly afterWork: number;
  /** When there was nothing but rest in between, interrupted for less than a sample. */
  readonly afterTrickle: number;
}

export interface Rest {
  /** Share of the time since the last call in which it was busy. */
  readonly busyShare: () => number;
  /** It rests with less than this share. */
  readonly restShare: number;
  readonly pauses: Pauses;
  readonly isWorthIt: () => boolean;
  readonly giveBack: () => void;
}

/** Gives memory back after some seconds of rest, and again later when it is worth it again. @returns a function that ends this. */
export function whileResting({ busyShare, restShare, pauses, isWorthIt, giveBack }: Rest): () => void {
  let resting = 0;
  let hasWorked = true;
  let sinceGiven = pauses.afterWork;
  const sample = (): void => {
    const isBusy = busyShare() >= restShare;
    resting = isBusy ? 0 : resting + 1;
    hasWorked ||= isBusy;
    sinceGiven += 1;
    const isSoon = sinceGiven < (hasWorked ? pauses.afterWork : pauses.afterTrickle);
    if (resting < restSamples || isSoon || !isWorthIt()) return;
    hasWorked = false;
    sinceGiven = 0;
    giveBack();
  };
  const timer = setInterval(sample, sampleMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** An event loop that is busy for less than this share rests. */
const restShare = 0.02;
/** V8 takes some ten seconds to give the memory back, and a mere trickle of calls is hardly ever delayed. */
const pauses: Pauses = { afterWork: 20, afterTrickle: 60 };
/** A young generation up to this size is not worth a collection. */
const keptYoungBytes = 4 * 1024 * 1024;
/** A collection takes a millisecond or two per MiB. Larger heaps have been collected by V8 itself. */
const maxHeapBytes = 64 * 1024 * 1024;

export interface ThreadMemory {
  /** Share of the time since the last call in which the event loop was busy. */
  readonly busyShare: () => number;
  /** Bytes of the young generation that are in memory. */
  readonly youngBytes: () => number;
  readonly heapBytes: () => number;
  readonly collect: () => void;
}

/**
 * Gives memory back to the system while this thread rests. V8 does so some seconds after it has collected the whole heap, and not before:
 * after a start, or a burst of calls whose garbage died young, the thread would keep the pages of its young generation for hours.
 * @returns a function that ends this.
 */
export function releaseMemoryAtRest({ busyShare, youngBytes, heapBytes, collect }: ThreadMemory = thisThread()): () => void {
  return whileResting({
    busyShare,
    restShare,
    pauses,
    isWorthIt: () => youngBytes() > keptYoungBytes,
    giveBack: () => {
      if (heapBytes() <= maxHeapBytes) collect();
    },
  });
}

function thisThread(): ThreadMemory {
  let last = performance.eventLoopUtilization();
  return {
    busyShare: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    youngBytes: () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.physical_space_size ?? 0,
    heapBytes: () => getHeapStatistics().used_heap_size,
    collect: collectGarbage,
  };
}

/** How soon after a collection V8 gives memory back; by default 8 s, and again as long while much has been allocated before. */
const giveBackMs = 3000;

/**
 * Collects the whole heap of this thread, which takes a millisecond or two for each MiB that lives on. TRICKY: Node has no function for it
 * without an option of the command line, which a user's `gatelog serve` has not.
 */
export function collectGarbage(): void {
  setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${giveBackMs}`);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
