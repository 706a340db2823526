import type { Connections } from './connections.ts';
import { type LaneName, laneNames } from './lanes.ts';

/**
 * Branches of a sleeping query, and the sleep of each: about forty threads in all. No more started while calls were stored and 28 clients
 * asked at once. Each takes 0.2 MB. They cost 0.2 s once.
 */
const branches = 6;
const sleepSeconds = 0.05;

/**
 * Starts all threads that the embedded engine will need. Its pool keeps free threads and starts one only when none is free.
 * TRICKY: a thread inherits its creator's priority and later does any work: one created for a merge, at low priority, would slow inserts
 * and queries for the life of the process.
 * @throws as a connection does.
 */
export async function startEngineThreads(connections: Connections): Promise<void> {
  if (!connections.embedded) return;
  const union = Array.from({ length: branches }, () => `SELECT sleep(${sleepSeconds})`).join(' UNION ALL ');
  const query = `SELECT count() FROM (${union}) SETTINGS max_threads = ${branches}`;
  const sleep = (lane: LaneName): Promise<unknown> =>
    connections.run(lane, async (client) => (await client.query({ query, format: 'JSONEachRow' })).json());
  await Promise.all(laneNames.map(sleep));
}
