/**
 * `npm run soak -- import [records]`: imports a file of small calls (200,000 by default, of three months) into a fresh deployment and prints
 * the rate, until the last line was acknowledged and until all were found, what of the processors' time the service and the command
 * took for a record, and the core's peak memory. The exit code is 1 under 10,000 records/s, or when one is missing.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { processTree, residentBytes } from '../../bench/measure/process-table.ts';
import { apiClient } from '../support/api.ts';
import { gatelog } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { childrenNamed, killStarted, makeDataDir, removeDataDir, startService } from '../support/process-tree.ts';

const count = Number(process.argv[2] ?? 200_000);
const minRate = 10_000;
const begin = Date.UTC(2026, 0, 1);
const monthMs = 28 * 86_400_000;
const dataDir = makeDataDir();

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

/** A call of a few hundred bytes, as they are in most files. */
function lineOf(index: number): string {
  const answer = {
    id: `chatcmpl-${index}`,
    model: 'gpt-4.1-mini',
    usage: { prompt_tokens: 12 + (index % 90), completion_tokens: index % 70 },
  };
  return JSON.stringify({
    request_id: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
    request_created_at: new Date(begin + index * 100 - (index % 3) * monthMs).toISOString(),
    provider: 'OPENAI',
    request_path: '/v1/chat/completions',
    request_body: { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: `Question ${index}: where is Atlantis?` }] },
    response_body: { ...answer, choices: [{ message: { role: 'assistant', content: `Answer ${index}: nowhere.` } }] },
    response_status: 200,
    latency: index % 3000,
    request_user_id: `user-${index % 100}`,
    session_id: `session-${index % 1000}`,
    properties: { Team: `team-${index % 9}` },
    cost: index / 1_000_000_000,
  });
}

const cpuMsOf = (pid: number): number => processTree(pid).reduce((sum, { cpuMs }) => sum + cpuMs, 0);

try {
  const file = path.join(dataDir, 'calls.jsonl');
  const lines = Array.from({ length: count }, (_, index) => `${lineOf(index)}\n`).join('');
  const service = await startService({ dataDir });
  writeFileSync(file, lines);
  const [before, since] = [cpuMsOf(service.pid), performance.now()];
  const { code, stdout, stderr } = await gatelog(dataDir, { api: service.api }, 'import', '--json', file);
  if (code !== 0) throw new Error(stderr);
  const { imported, seconds } = JSON.parse(stdout) as { readonly imported: number; readonly seconds: number };
  const api = apiClient(service.api);
  const query = { filter: 'all' };
  await eventually(
    'all to be found',
    async () => ((await api.call<number>('POST', '/v1/request/count/query', query)).body.data === count ? true : undefined),
    300_000,
  );
  const foundSeconds = (performance.now() - since) / 1000;
  const microseconds = ((cpuMsOf(service.pid) - before) * 1000) / count;
  const peak = Math.max(...childrenNamed(service.pid, 'core').map((pid) => residentBytes(pid)?.peak ?? 0));
  await service.stop();
  const rate = Math.round(imported / seconds);
  console.log(
    `${imported} of ${count} records, ${Math.round(lines.length / count)} bytes each, in ${seconds.toFixed(1)} s: ${rate} records/s`,
  );
  console.log(`all found after ${foundSeconds.toFixed(1)} s: ${Math.round(count / foundSeconds)} records/s`);
  console.log(
    `processor time of the service: ${microseconds.toFixed(0)} µs a record; peak memory of the core: ${(peak / 1e6).toFixed(0)} MB`,
  );
  if (imported !== count || rate < minRate) process.exitCode = 1;
} finally {
  removeDataDir(dataDir);
}
