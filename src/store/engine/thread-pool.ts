import { type Connections, type LaneName, laneNames } from './connections.ts';

/** Branches of a query that sleeps, and how long each does: some seventy threads in all, twice what was seen under load. They cost 0.2 s once. */
const branches = 12;
const sleepSeconds = 0.05;

/**
 * Makes the embedded engine start all threads that it will need, now. Its pool keeps threads that are free, and makes one only when none is.
 * TRICKY: a thread is born with the priority of the one that made it, and may do anybody's work later. One that is made for a merge, whose threads come
 * last, would carry inserts and queries with that priority for as long as the process lives.
 * @throws what a connection does.
 */
export async function startEngineThreads(connections: Connections): Promise<void> {
  if (!connections.embedded) return;
  const union = Array.from({ length: branches }, () => `SELECT sleep(${sleepSeconds})`).join(' UNION ALL ');
  const query = `SELECT count() FROM (${union}) SETTINGS max_threads = ${branches}`;
  const sleep = (lane: LaneName): Promise<unknown> =>
    connections.run(lane, async (client) => (await client.query({ query, format: 'JSONEachRow' })).json());
  await Promise.all(laneNames.map(sleep));
}
