/**
 * `npm run soak -- fuzz [bodies] [seed] [path…]`: sends this many hostile bodies (50,000 by default) to every endpoint of a running
 * service that takes a body, or to those whose paths end in one of the given ones. Progress goes to stderr; the last lines, on stdout,
 * show the responses. The exit code is 1 when a response is not allowed.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, OwnedProcesses } from '../../bench/measure/owned-processes.ts';
import { addExisting, endpointsWithBody, existing, fuzz } from '../support/hostile.ts';

const [bodiesGiven = 50_000, seedGiven = Date.now() % 2 ** 31, ...pathsWanted] = process.argv.slice(2);
const [bodiesWanted, firstSeed] = [Number(bodiesGiven), Number(seedGiven)];
const bodiesAtOnce = 2500;
const key = 'sk-svc-us-soaksoaksoaksoaksoaksoak';
const foreignText = 'only-theirs-4711';
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-fuzz-'));
const processes = new OwnedProcesses();
const [gatewayPort, apiPort] = [await freePort(), await freePort()];
const [gateway, api] = [`http://127.0.0.1:${gatewayPort}`, `http://127.0.0.1:${apiPort}`];
const environment = {
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  GATELOG_DATA_DIR: path.join(folder, 'data'),
  GATELOG_GATEWAY_PORT: String(gatewayPort),
  GATELOG_API_PORT: String(apiPort),
  GATELOG_BOOTSTRAP_API_KEY: key,
};
const program = path.resolve('dist/cli/main.js');

const isWanted = (route: string): boolean => pathsWanted.length === 0 || pathsWanted.some((wanted) => route.endsWith(wanted));

try {
  process.exitCode = (await fuzzEverything()) ? 0 : 1;
} finally {
  await processes.stopAll();
  rmSync(folder, { recursive: true, force: true });
}

async function fuzzEverything(): Promise<boolean> {
  await processes.start({
    command: process.execPath,
    parameters: [program, 'serve'],
    environment,
    folder,
    logFile: path.join(folder, 'log'),
    readyUrl: `${api}/readyz`,
  });
  const command = (...words: string[]): string =>
    execFileSync(process.execPath, [program, ...words], { env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  command('orgs', 'create', 'theirs');
  await send(/sk-svc-us-\w+/.exec(command('keys', 'create', '--org', 'theirs'))?.[0] ?? '', foreignText);
  const mine = await send(key, 'mine');
  const organizationId = await ownerOf(mine);
  const added = await addExisting(api, key, mine);
  let sound = true;
  for (const { method, path: route } of endpointsWithBody()) {
    if (!isWanted(route)) continue;
    const target = { method, url: api + existing(route, added), key, organizationId, foreignText };
    sound = (await fuzzEndpoint(`${method} ${route}`, target)) && sound;
  }
  const ready = (await fetch(`${api}/readyz`)).status === 200;
  console.log(`afterwards the service is ${ready ? 'up' : 'DOWN'}; seeds from ${firstSeed}`);
  return sound && ready;
}

async function fuzzEndpoint(name: string, target: Parameters<typeof fuzz>[0]): Promise<boolean> {
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  for (let sent = 0; sent < bodiesWanted; sent += bodiesAtOnce) {
    const report = await fuzz(target, Math.min(bodiesAtOnce, bodiesWanted - sent), firstSeed + sent);
    for (const [status, count] of report.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
    faults.push(...report.faults);
    console.error(`${name}: ${sent + bodiesAtOnce} of ${bodiesWanted}, ${faults.length} faults`);
  }
  const counts = [...statuses].toSorted(([left], [right]) => left - right).map(([status, count]) => `${status}: ${count}`);
  console.log(`${name}: ${counts.join(', ')}; faults: ${faults.length}`);
  for (const fault of faults.slice(0, 5)) console.log(`  ${fault}`);
  return faults.length === 0;
}

async function send(caller: string, text: string): Promise<string> {
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${caller}`,
      'Svc-Property-Team': text,
      'Svc-Session-Id': 'shared',
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: text }] }),
  });
  await response.text();
  return response.headers.get('svc-id') ?? '';
}

async function ownerOf(id: string): Promise<string> {
  for (let tries = 0; tries < 500; tries += 1) {
    const response = await fetch(`${api}/v1/request/${id}`, { headers: { Authorization: `Bearer ${key}` } });
    const answer = (await response.json()) as { data: { organization_id: string } | null };
    if (answer.data !== null) return answer.data.organization_id;
  }
  throw new Error(`The request ${id} was not stored.`);
}
