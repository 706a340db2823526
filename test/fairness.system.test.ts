import { afterAll, expect, it } from 'vitest';
import { runApiFairness, slowQueries } from './support/fairness-api.ts';
import { makeFairnessStore } from './support/fairness-store.ts';
import { killStarted, makeDataDir, removeDataDir, startService } from './support/process-tree.ts';

const dataDir = makeDataDir();
afterAll(() => {
  killStarted();
  removeDataDir(dataDir);
});

it('while one organisation sends the slowest queries over many connections, another reads every request of its own, and the API stays ready', async () => {
  const store = await makeFairnessStore(dataDir, 3000, () => undefined);
  const service = await startService({ dataDir, environment: { GATELOG_QUERY_MAX_WAIT_MS: '2000' } });
  const { greedy, modest, ready } = await runApiFairness({ api: service.api, store, connections: 40, durationMs: 4000, minimumReads: 3 });
  expect(modest.filter(({ status }) => status !== 200)).toEqual([]);
  expect(ready.filter(({ status }) => status !== 200)).toEqual([]);
  expect(new Set(greedy.map(({ what }) => what)).size).toBe(slowQueries.length);
  // Queries beyond an organisation's share are answered or refused with a documented code, nothing else.
  expect(greedy.filter(({ status, text }) => status !== 200 && !(status === 503 && text.includes('"service_busy"')))).toEqual([]);
  await service.stop();
});
