import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../platform/clock.ts';
import { collectGarbage, releaseMemoryAtRest } from '../../platform/memory/at-rest.ts';
import { threadCpuClock, threadIdleTime } from '../../platform/thread-cpu-time.ts';
import type { PriceLine } from '../../model/pricing/price-line.ts';
import { importedBook, listedBook, type OperatorFile } from '../../pricing/layers/books.ts';
import type { PriceBook } from '../../pricing/price-book.ts';
import { publicList } from '../../pricing/public-list.ts';
import { RowMemory } from '../../store/insert/row-memory.ts';
import { RecentOwners } from './recent-owners.ts';
import { type BatchBounds, interpretTasks, withinBounds } from './record-builder.ts';
import { memoryOfResults, type PackedResults, packResults } from './packed-results.ts';
import { bytesOfTasks, type PackedTasks, unpackTasks } from './packed-tasks.ts';
import { BoundedRedactor } from '../redaction/bounded.ts';
import { loadedThreatCheck } from '../threats/load.ts';

export interface InterpretJob {
  readonly id: number;
  readonly tasks: PackedTasks;
  readonly storedAt: number;
}

/** Memory of rows that the thread may write again. */
export interface SpentMemory {
  readonly spent: readonly SharedArrayBuffer[];
}

/** The prices that the operator has imported, from now on. */
export interface ImportMessage {
  readonly imported: readonly PriceLine[];
}

export type RecordBuilderMessage = { readonly ready: true } | { readonly id: number; readonly results: PackedResults };

export interface RecordBuilderSettings {
  readonly searchMaxBytes: number;
  readonly agentSessions: boolean;
  /** Memory of rows that is kept for reuse, and the most that one batch may fill: only bodies that grow manyfold when decoded exceed it. */
  readonly keptRowBytes: number;
  /** The operator's prices file. */
  readonly pricesFile: OperatorFile | undefined;
  /** File of the operator's threat check; undefined: the built-in one. */
  readonly threatCheckFile: string | undefined;
}

const settings = workerData as RecordBuilderSettings | null;
let imported: PriceBook | undefined;
const parts = {
  book: listedBook(settings?.pricesFile, () => imported),
  redactions: new BoundedRedactor({ monotonic: systemClock.monotonic, threadTime: threadCpuClock(), idleTime: threadIdleTime }),
  searchMaxBytes: settings?.searchMaxBytes,
  agentSessions: settings?.agentSessions,
  threatCheck: settings?.threatCheckFile === undefined ? undefined : await loadedThreatCheck(settings.threatCheckFile),
};

/** The thread counts as hung after thirty times as long. */
const maxBatchMs = 2000;
/** Of one organisation's records while those of others wait. */
const maxMsBesideOthers = 500;
const owners = new RecentOwners();

function boundsOf({ settings: shared, settingsOf }: PackedTasks): BatchBounds {
  const { monotonic } = systemClock;
  const isAlone =
    owners.note(
      shared.map(({ organizationId }) => organizationId),
      monotonic(),
    ) <= 1;
  return {
    maxRowBytes: settings?.keptRowBytes ?? Infinity,
    maxMs: maxBatchMs,
    maxMsOfOne: isAlone ? maxBatchMs : maxMsBesideOthers,
    monotonic,
    ownerOf: (index) => shared[settingsOf[index] ?? 0]?.organizationId,
  };
}

/** After more bytes than this the thread gives its garbage back at once: it is several times as much, and V8 may keep it for minutes. */
const collectedAboveBytes = 32 * 1024 * 1024;

const send = (message: RecordBuilderMessage, transfer: readonly ArrayBuffer[] = []): void => parentPort?.postMessage(message, transfer);

const memory = new RowMemory(settings?.keptRowBytes);

parentPort?.on('message', (message: InterpretJob | SpentMemory | ImportMessage) => {
  if ('imported' in message) {
    imported = importedBook(message.imported);
    return;
  }
  if ('spent' in message) {
    memory.release(message.spent);
    return;
  }
  const { id, tasks, storedAt } = message;
  const interpreted = interpretTasks(unpackTasks(tasks), { ...parts, storedAt, memory });
  const results = packResults(withinBounds(interpreted, boundsOf(tasks)), tasks.frameCounts.length);
  send({ id, results }, memoryOfResults(results));
  if (bytesOfTasks(tasks) > collectedAboveBytes) collectGarbage();
});
releaseMemoryAtRest();
publicList();
send({ ready: true });
