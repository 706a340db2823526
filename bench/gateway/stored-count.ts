import { setTimeout as sleep } from 'node:timers/promises';
import type { GatelogCandidate } from '../peers/candidate.ts';

const pollMs = 500;
/** The records are taken as complete when their count has not changed for so long. */
const settledMs = 15_000;
const timeoutMs = 300_000;

/** Number of records that Gatelog has stored, or null where its API does not tell. */
async function storedCount({ apiUrl, apiKey }: GatelogCandidate): Promise<number | null> {
  const response = await fetch(`${apiUrl}/v1/request/query-clickhouse`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json', 'Svc-Include-Count': 'true' },
    body: JSON.stringify({ filter: 'all', limit: 1 }),
  }).catch(() => null);
  await response?.arrayBuffer();
  const count = response?.status === 200 ? response.headers.get('svc-total-count') : null;
  return count === null || count === undefined ? null : Number(count);
}

/** Polls until `expected` records are stored or their number no longer grows. Null where the API does not tell. */
export async function settledStoredCount(candidate: GatelogCandidate, expected: number): Promise<number | null> {
  const deadlineMs = performance.now() + timeoutMs;
  let last = await storedCount(candidate);
  let changedAtMs = performance.now();
  while (last !== null && last !== expected && performance.now() < Math.min(deadlineMs, changedAtMs + settledMs)) {
    await sleep(pollMs);
    const count = await storedCount(candidate);
    if (count !== last) changedAtMs = performance.now();
    last = count;
  }
  return last;
}
