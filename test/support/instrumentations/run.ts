import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { RequestItem } from '../../../src/contract/requests/item.ts';
import { apiClient } from '../api.ts';
import { eventually } from '../eventually.ts';
import { type Service, testKey } from '../process-tree.ts';
import type { Instrumentation, Mode, Processor } from './catalogue.ts';
import type { AnsweredCall, TruthfulProvider } from './provider.ts';

/** Versions of Node that all packages take. */
const nodePackage = `node-${process.platform}-${process.arch}`;

/** Calls of one instrumentation, and the records that came of them, in the order of time. */
export interface Told {
  readonly calls: readonly AnsweredCall[];
  readonly records: readonly RequestItem[];
  /** What the application printed. */
  readonly output: string;
}

/** How calls are made and told of. */
export interface Way {
  readonly processor: Processor;
  readonly mode: Mode;
}

export interface Scene {
  readonly service: Service;
  readonly provider: TruthfulProvider;
  /** In which the packages of each instrumentation have a folder. */
  readonly folder: string;
}

/** @returns the version of the instrumentation. @throws when npm cannot install its packages. */
export async function install({ name, packages }: Instrumentation, parent: string): Promise<string> {
  const folder = path.join(parent, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"private":true,"type":"module"}\n');
  const words = [...packages.map((each) => (each.lastIndexOf('@') > 0 ? each : `${each}@latest`)), `${nodePackage}@22`];
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-save', '--engine-strict=false', ...words], folder);
  for (const file of ['sender.mjs', 'set-ups.mjs', 'calls.mjs']) {
    copyFileSync(path.resolve('test/support/instrumentations', file), path.join(folder, file));
  }
  const [first = ''] = packages;
  const itself = first.lastIndexOf('@') > 0 ? first.slice(0, first.lastIndexOf('@')) : first;
  const manifest = JSON.parse(readFileSync(path.join(folder, 'node_modules', itself, 'package.json'), 'utf8')) as { version: string };
  return `${itself} ${manifest.version}`;
}

/** Makes the calls of an instrumentation. @param expected the number of records to wait for. */
export async function tell(
  { name, calls }: Instrumentation,
  { service, provider, folder }: Scene,
  { processor, mode, expected }: Way & { readonly expected: number },
): Promise<Told> {
  const before = provider.calls.length;
  const runName = `${name}-${processor}-${mode}-${before}`;
  const passes = mode !== 'direct';
  const own = path.join(folder, name);
  const output = await run(path.join(own, 'node_modules', nodePackage, 'bin', 'node'), ['sender.mjs', name, ...calls], own, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${service.gateway}/v1/otlp`,
    OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${testKey},svc-property-run=${runName}`,
    PROVIDER_URL: passes ? service.gateway : provider.origin,
    PROCESSOR: processor,
    RUN: runName,
    ...(passes ? { GATEWAY_KEY: testKey } : {}),
    ...(mode === 'propagated' ? { PROPAGATES: '1' } : {}),
  });
  const api = apiClient(service.api);
  const find = async (): Promise<readonly RequestItem[]> => {
    const found = await api.query({ request_response_rmt: { properties: { run: { equals: runName } } } }, { limit: 100 });
    return found
      .filter(({ model }) => !(model ?? '').startsWith('tool:'))
      .toSorted((one, other) => Date.parse(one.request_created_at) - Date.parse(other.request_created_at));
  };
  // Until their spans are one, two records may stand for a call.
  await eventually('the records', async () => ((await find()).length === expected ? true : undefined), 10_000).catch(() => undefined);
  // What is told twice would come with the next batches.
  await wait(1500);
  return { calls: provider.calls.slice(before), records: await find(), output };
}

/** @returns what it printed. @throws when it fails. */
async function run(
  command: string,
  words: readonly string[],
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_(package_|lifecycle_|config_local_prefix$|command$)|OTEL_)/.test(name),
  );
  const child = spawn(command, words, {
    cwd: folder,
    env: { ...Object.fromEntries(inherited), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}:\n${output.slice(-4000)}`);
  return output;
}
