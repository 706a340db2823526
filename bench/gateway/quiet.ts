import { setTimeout as sleep } from 'node:timers/promises';
import { processTree } from '../measure/process-table.ts';

const sampleMs = 250;
const quietShare = 0.1;
const timeoutMs = 120_000;

/** CPU time so far of whole process trees, in milliseconds. */
export function treesCpuMs(rootPids: readonly number[]): number {
  return rootPids.flatMap((pid) => processTree(pid)).reduce((total, entry) => total + entry.cpuMs, 0);
}

/**
 * Waits until the process trees use less than a tenth of one core, so that work left over from one candidate does not slow the next one.
 * @returns false when they were still busy after two minutes.
 */
export async function untilQuiet(rootPids: readonly number[]): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  let before = treesCpuMs(rootPids);
  while (performance.now() < deadlineMs) {
    await sleep(sampleMs);
    const now = treesCpuMs(rootPids);
    if (now - before < sampleMs * quietShare) return true;
    before = now;
  }
  return false;
}
