/**
 * `npm run soak -- bytes [cases] [seed]`: sends the whole matrix of `test/support/byte-cases.ts`, or this many of its cases, chosen by the
 * seed, through a running service, then bodies of 1 byte to 100 MB. It compares every byte on both sides and every record. Progress goes
 * to stderr; the last lines, on stdout, show the compared cases and the memory of the gateway's worker. The exit code is 1 when anything
 * differs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, OwnedProcesses } from '../../bench/measure/owned-processes.ts';
import { processTree } from '../../bench/measure/process-table.ts';
import type { RequestItem } from '../../src/contract/requests/item.ts';
import { type ByteCase, byteFactors, type ByteTarget, performCase, recordsFaults } from '../support/byte-cases.ts';
import { startByteProvider } from '../support/byte-provider.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { patternDigest, performLargeCall, startLargeProvider } from '../support/large-bodies.ts';
import { everyCombination } from '../support/matrix.ts';
import { forgetPeak, inMegabytes, memoryOf } from '../support/process-memory.ts';

const [casesWanted = Infinity, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);
const atOnce = 16;
const roundCases = 2000;
const largest = 100_000_000;
const key = 'sk-svc-us-soaksoaksoaksoaksoaksoak';
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-bytes-'));
const processes = new OwnedProcesses();
const [gatewayPort, apiPort] = [await freePort(), await freePort()];
const [gateway, api] = [`http://127.0.0.1:${gatewayPort}`, `http://127.0.0.1:${apiPort}`];
const provider = await startByteProvider();
const large = await startLargeProvider();
const faults: string[] = [];

try {
  const worker = await startGateway();
  await sendMatrix();
  await sendLargeBodies(worker);
  console.log(`${faults.length} differences`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await processes.stopAll();
  await provider.close();
  await large.close();
  rmSync(folder, { recursive: true, force: true });
}

/** @returns the process id of the worker. */
async function startGateway(): Promise<number> {
  const { pid = 0 } = await processes.start({
    command: process.execPath,
    parameters: [path.resolve('dist/cli/main.js'), 'serve'],
    environment: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      GATELOG_DATA_DIR: path.join(folder, 'data'),
      GATELOG_GATEWAY_PORT: String(gatewayPort),
      GATELOG_API_PORT: String(apiPort),
      GATELOG_GATEWAY_WORKERS: '1',
      GATELOG_BOOTSTRAP_API_KEY: key,
      GATELOG_TARGET_ALLOWLIST: '127.0.0.1',
      GATELOG_PROVIDER_OPENAI_URL: `${provider.origin}/v1`,
      GATELOG_PROVIDER_ANTHROPIC_URL: provider.origin,
      GATELOG_PROVIDER_GEMINI_URL: provider.origin,
      GATELOG_PROVIDER_VLLM_URL: large.origin,
    },
    folder,
    logFile: path.join(folder, 'log'),
    readyUrl: `${api}/readyz`,
  });
  const worker = processTree(pid).find((entry) => entry.pid !== pid && entry.command.includes('gateway'));
  return worker?.pid ?? 0;
}

async function sendMatrix(): Promise<void> {
  const target: ByteTarget = { gateway, key, provider };
  const total = [...everyCombination(byteFactors)].length;
  const share = Math.min(1, casesWanted / total);
  const random = new SeededRandom(seed);
  const chosen = [...everyCombination(byteFactors)].filter(() => random.below(2 ** 30) / 2 ** 30 < share);
  const startedAt = performance.now();
  for (let at = 0; at < chosen.length; at += roundCases) {
    const cases = chosen.slice(at, at + roundCases);
    const calls: { id: string; combination: ByteCase }[] = [];
    for (let first = 0; first < cases.length; first += atOnce) {
      const together = cases.slice(first, first + atOnce);
      const results = await Promise.all(
        together.map((combination, index) => performCase(target, combination, new SeededRandom(seed + at + first + index))),
      );
      for (const [index, { id, faults: found }] of results.entries()) {
        faults.push(...found);
        const combination = together[index];
        if (combination !== undefined) calls.push({ id, combination });
      }
    }
    faults.push(...(await recordsFaults(ask, calls)));
    console.error(`${at + cases.length} of ${chosen.length} cases, ${faults.length} differences`);
    for (const fault of faults.slice(0, 5)) console.error(fault);
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`${chosen.length} of ${total} cases, both directions and the record of each, in ${seconds} s (seed ${seed})`);
}

async function ask(requestIds: readonly string[]): Promise<readonly RequestItem[]> {
  const response = await fetch(`${api}/v1/request/query-ids`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ requestIds }),
  });
  return ((await response.json()) as { readonly data: readonly RequestItem[] }).data;
}

/** Powers of ten with their neighbours, then eight of the largest bodies at once. */
async function sendLargeBodies(worker: number): Promise<void> {
  const powers = Array.from({ length: 9 }, (_none, power) => 10 ** power);
  const sizes = powers.flatMap((size) => [size - 1, size, size + 1]).filter((bytes) => bytes > 0 && bytes <= largest);
  for (const bytes of sizes) await Promise.all((['length', 'chunked'] as const).map((framing) => compareLarge(bytes, framing)));
  console.error(`${sizes.length} sizes, ${faults.length} differences`);
  const before = memoryOf(worker).resident;
  forgetPeak(worker);
  await Promise.all(Array.from({ length: 8 }, (_none, index) => compareLarge(largest, index % 2 === 0 ? 'length' : 'chunked')));
  const peak = inMegabytes(memoryOf(worker).peak);
  console.log(`${sizes.length} sizes from 1 byte to ${inMegabytes(largest)}, by length and in chunks, up and down`);
  console.log(
    `8 x ${inMegabytes(largest)} up and down at once: the worker held ${inMegabytes(before)} before and ${peak} at its peak (VmHWM)`,
  );
}

async function compareLarge(bytes: number, framing: 'length' | 'chunked'): Promise<void> {
  const url = `${gateway}/vllm/v1/files`;
  const { status, up, down } = await performLargeCall({ url, key, bytes, framing, contentType: 'application/octet-stream' });
  const digest = patternDigest(bytes);
  const same = [up, down].every((side) => side.bytes === bytes && side.digest === digest);
  if (status !== 200 || !same) faults.push(`${bytes} bytes, ${framing}: status ${status}, up ${up.bytes}, down ${down.bytes}`);
}
