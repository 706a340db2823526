/**
 * `npm run soak -- fairness-gateway [times]`: one organisation sends bodies that were made to keep a gateway worker busy, each `times` (3) at once, then holds 1,030
 * streams open; another one calls the same provider through the same worker meanwhile. Prints for each row how many of the second one's calls there were, their median,
 * 99th percentile and longest, what the first one was answered, and the most memory that the worker took. Exit code 1 when a 99th percentile is 100 ms or more, a call of
 * the second one failed, or the worker took 1.5 GB.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LatencyHistogram } from '../../bench/load/latency-histogram.ts';
import { freePort, OwnedProcesses } from '../../bench/measure/owned-processes.ts';
import { processTree } from '../../bench/measure/process-table.ts';
import { slowCalls } from '../support/slow-bodies.ts';
import { forgetPeak, inMegabytes, memoryOf } from '../support/process-memory.ts';

const [times = 3] = process.argv.slice(2).map(Number);
const mostMs = 100;
const mostBytes = 1_500_000_000;
const streams = 1030;
const betweenProbesMs = 10;
const leastProbes = 200;
const key = 'sk-svc-us-soaksoaksoaksoaksoaksoak';
const program = path.resolve('dist/cli/main.js');
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-fairness-'));
const [gatewayPort, apiPort] = [await freePort(), await freePort()];
const processes = new OwnedProcesses();
const heldReplies = new Set<ServerResponse>();
const provider = createServer((incoming, response) => {
  if (incoming.headers['x-hold'] === undefined) {
    incoming.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'));
    return;
  }
  heldReplies.add(response);
  response.on('close', () => heldReplies.delete(response));
  incoming.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n');
});
await new Promise<void>((resolve) => {
  provider.listen(0, '127.0.0.1', resolve);
});
const environment = {
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  GATELOG_DATA_DIR: path.join(folder, 'data'),
  GATELOG_GATEWAY_PORT: String(gatewayPort),
  GATELOG_API_PORT: String(apiPort),
  GATELOG_GATEWAY_WORKERS: '1',
  GATELOG_BOOTSTRAP_API_KEY: key,
  GATELOG_PROVIDER_OPENAI_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`,
  GATELOG_PROVIDER_OPENAI_KEY: 'sk-of-the-deployment',
};
const probeAgent = new Agent({ keepAlive: true, maxSockets: 8 });
const attackAgent = new Agent({ keepAlive: false });

try {
  process.exitCode = (await measureGatewayFairness()) ? 0 : 1;
} finally {
  probeAgent.destroy();
  attackAgent.destroy();
  for (const reply of heldReplies) reply.destroy();
  await processes.stopAll();
  provider.close();
  rmSync(folder, { recursive: true, force: true });
}

/** @returns whether everything stayed within the bounds. */
async function measureGatewayFairness(): Promise<boolean> {
  const { pid = 0 } = await processes.start({
    command: process.execPath,
    parameters: [program, 'serve'],
    environment,
    folder,
    logFile: path.join(folder, 'log'),
    readyUrl: `http://127.0.0.1:${apiPort}/readyz`,
  });
  const worker = processTree(pid).find((entry) => entry.pid !== pid && entry.command.includes('gateway'))?.pid ?? 0;
  command('orgs', 'create', 'others');
  const others = /sk-svc-us-\w+/.exec(command('keys', 'create', '--org', 'others'))?.[0] ?? '';
  let isFair = await measure('nothing beside', { worker, others }, async () => 'nothing');
  for (const { what, headers, body } of slowCalls) {
    const bytes = body();
    const attack = async (): Promise<string> => tally(await Promise.all(Array.from({ length: times }, () => send(key, headers, bytes))));
    isFair = (await measure(what, { worker, others }, attack)) && isFair;
  }
  return (await measure(`${streams} held streams`, { worker, others }, holdStreams)) && isFair;
}

function command(...words: string[]): string {
  return execFileSync(process.execPath, [program, ...words], { env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

async function measure(
  what: string,
  { worker, others }: { readonly worker: number; readonly others: string },
  attack: () => Promise<string>,
): Promise<boolean> {
  const histogram = new LatencyHistogram();
  const failures: string[] = [];
  const probes: Promise<void>[] = [];
  const attacked: { answers?: string } = {};
  forgetPeak(worker);
  attack().then(
    (said) => (attacked.answers = said),
    (error: unknown) => (attacked.answers = String(error)),
  );
  while (attacked.answers === undefined || probes.length < leastProbes) {
    probes.push(probe(others, histogram, failures));
    await sleep(betweenProbesMs);
  }
  await Promise.all(probes);
  for (const reply of heldReplies) reply.destroy();
  const { peak } = memoryOf(worker);
  const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => histogram.quantileMicros(share) / 1000) as [number, number, number];
  const isFair = p99 < mostMs && failures.length === 0 && peak < mostBytes;
  const numbers = `${probes.length} calls, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${longest.toFixed(0)} ms, worker ${inMegabytes(peak)}`;
  console.log(
    `${isFair ? 'fair  ' : 'UNFAIR'} ${what}: ${numbers}; answers ${attacked.answers}${failures.length === 0 ? '' : `; failed: ${tally(failures)}`}`,
  );
  return isFair;
}

async function probe(others: string, histogram: LatencyHistogram, failures: string[]): Promise<void> {
  const startedAt = performance.now();
  const status = await send(others, {}, Buffer.from('{"model":"gpt-4o","messages":[]}'), probeAgent);
  histogram.record(performance.now() - startedAt);
  if (status !== '200') failures.push(status);
}

/** @returns the status, or what broke. */
function send(ofKey: string, headers: Readonly<Record<string, string>>, body: Buffer, agent = attackAgent): Promise<string> {
  return new Promise((resolve) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: gatewayPort,
        method: 'POST',
        path: '/v1/chat/completions',
        agent,
        timeout: 120_000,
        headers: { ...headers, 'svc-auth': `Bearer ${ofKey}`, 'content-type': 'application/json', 'content-length': body.length },
      },
      (response) => {
        response.resume().on('end', () => resolve(String(response.statusCode)));
        response.on('error', (error) => resolve(error.message));
        if (headers['x-hold'] !== undefined) resolve(String(response.statusCode));
      },
    );
    outgoing.on('error', (error) => resolve(error.message));
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in two minutes')));
    outgoing.end(body);
  });
}

/** Those that get no connection are answered by and by; what counts is how the others fare meanwhile. */
async function holdStreams(): Promise<string> {
  const body = Buffer.from('{"model":"gpt-4o","stream":true,"messages":[]}');
  const held = Array.from({ length: streams }, () => send(key, { 'x-hold': '1' }, body));
  const answered: string[] = [];
  for (const each of held) void each.then((status) => answered.push(status));
  await sleep(5000);
  return tally([...answered, ...Array.from({ length: streams - answered.length }, () => 'waiting')]);
}

function tally(statuses: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} x ${status}`).join(', ');
}
