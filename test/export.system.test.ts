import { afterEach, beforeEach, expect, it } from 'vitest';
import { SeededRandom } from './support/seeded-random.ts';
import { runExport } from './support/export-run.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { byLength, inFull, testSeed } from './support/test-length.ts';

const seed = testSeed();
const requests = 30_000;
const serviceKills = 2;
let dataDir: string;
beforeEach(() => {
  dataDir = makeDataDir();
});
afterEach(() => removeDataDir(dataDir));

inFull(() => {
  it(`an export goes on after kill -9 of the service and of the command: no record is repeated or missing (seed ${seed})`, async () => {
    const report = await runExport({
      dataDir,
      requests,
      made: requests / 2,
      words: ['--include-body'],
      serviceKills,
      commandKills: 1,
      maxRunMs: 2500,
      idleMs: 0,
      random: new SeededRandom(seed),
    });
    expect(report).toMatchObject({ repeated: 0, missing: 0, unknown: 0, unordered: 0, callsSkipped: 0, serviceKills, commandKills: 1 });
    expect(report.rows).toBe(requests + report.callsExported);
  }, 180_000);
});

const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' };

async function callEcho({ gateway }: Service): Promise<string> {
  const body = JSON.stringify({ model: 'echo/demo', messages: [{ role: 'user', content: 'Hello' }] });
  const response = await fetch(`${gateway}/v1/chat/completions`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.headers.get('svc-id') ?? '';
}

/** The window from `startDate` until now. */
async function exportWindow({ api }: Service, startDate: string | undefined) {
  const body = JSON.stringify({ startDate, columns: ['request_id'] });
  const response = await fetch(`${api}/v1/export`, { method: 'POST', headers, body });
  const lines = (await response.text()).split('\n').slice(0, -1);
  const ids = lines.map((line) => (JSON.parse(line) as { readonly request_id: string }).request_id);
  return { ids, end: response.headers.get('svc-export-end') ?? '' };
}

it('windows one after the other hold every call once, while calls go on', async () => {
  const service = await startService({ dataDir });
  const [sent, found]: [string[], string[]] = [[], []];
  const over = new AbortController();
  const send = async (): Promise<void> => {
    while (!over.signal.aborted) sent.push(await callEcho(service));
  };
  const senders = Array.from({ length: 4 }, send);
  let start: string | undefined;
  const next = async (): Promise<void> => {
    const { ids, end } = await exportWindow(service, start);
    found.push(...ids);
    start = end;
  };
  await eventually('some calls', () => (sent.length > 100 ? true : undefined));
  for (let window = 0; window < byLength(3, 8); window += 1) await next();
  over.abort();
  await Promise.all(senders);
  await eventually('the last calls', async () => {
    await next();
    return found.length >= sent.length ? true : undefined;
  });
  expect(found.toSorted()).toEqual(sent.toSorted());
  await service.stop();
});
