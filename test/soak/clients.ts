/**
 * `npm run soak -- clients [--record]`: installs the newest version of each official client that the registry has, and a Node 22 for those that need
 * it, into `.cache/clients` (about 400 MB), and makes their calls through a real service to a fake provider: chats, streams, responses,
 * embeddings, files. Each must be understood by its client and be one record, with its tokens. Then it makes calls past the gateway whose
 * spans OpenTelemetry's newest NodeSDK exports to it, in both encodings: each must be one record with its tokens and cost, and those of
 * the AI SDK with their session, user and property. The exit code is 1 when one is not. `--record` writes what the clients sent to
 * `test/fixtures/newest-clients.json`, which `test/newest-clients.system.test.ts` sends again.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { RequestItem } from '../../src/contract/requests/item.ts';
import { type ApiClient, apiClient } from '../support/api.ts';
import { countsOf, hasCost, isTagged, isTold, toldCounts } from '../support/clients/expected.ts';
import { keyInFixture, type NewestClients, type SentExport } from '../support/clients/newest-clients.ts';
import { type Recorder, type SentRequest, startRecorder } from '../support/clients/recorder.ts';
import { eventually } from '../support/eventually.ts';
import { guideSetUps, pointedAt } from '../support/opentelemetry-guide.ts';
import { killStarted, makeDataDir, removeDataDir, startService, testKey } from '../support/process-tree.ts';
import { startRecordedProvider } from '../support/recorded-provider.ts';

const folder = path.resolve('.cache/clients');
const clients = [
  'openai',
  '@anthropic-ai/sdk',
  '@google/genai',
  'ai',
  '@ai-sdk/openai',
  '@ai-sdk/openai-compatible',
  '@ai-sdk/otel',
  '@langchain/openai',
  '@langchain/core',
  '@huggingface/inference',
  '@opentelemetry/api',
  '@opentelemetry/sdk-node',
];
const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const node = path.join(folder, 'node_modules', nodePackage, 'bin', 'node');

const spanMs = 20_000;

interface Made {
  readonly name: string;
  /** Of its record. */
  readonly id: string;
  readonly said?: unknown;
  readonly error?: string;
}

const dataDir = makeDataDir();
process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

try {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n');
  await run('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--no-save',
    // These packages run in the Node that comes with them.
    '--engine-strict=false',
    ...clients.map((name) => `${name}@latest`),
    'ws@latest',
    `${nodePackage}@22`,
  ]);
  for (const name of ['calls.mjs', 'spans.mjs']) copyFileSync(path.resolve('test/support/clients', name), path.join(folder, name));
  const provider = await startRecordedProvider(true);
  const names = ['OPENAI', 'ANTHROPIC', 'GEMINI', 'HUGGINGFACE'];
  const service = await startService({
    dataDir,
    environment: Object.fromEntries(
      names.flatMap((name) => [
        [`GATELOG_PROVIDER_${name}_URL`, provider.origin + (name === 'OPENAI' ? '/v1' : '')],
        [`GATELOG_PROVIDER_${name}_KEY`, 'key-of-the-deployment'],
      ]),
    ) as Record<string, string>,
  });
  const api = apiClient(service.api);
  const recorder = await startRecorder(service.gateway);
  const made = madeIn(await run(node, ['calls.mjs'], { GATEWAY: recorder.origin, KEY: testKey }));
  const sentCalls = recorder.sent.splice(0);
  let recorded = 0;
  for (const call of made) {
    const expected = countsOf(call.name);
    recorded += expected === undefined ? 0 : 1;
    const item = expected === undefined ? undefined : await api.stored(call.id).catch(() => undefined);
    const counts = item === undefined ? undefined : toldCounts(call.name, item);
    const isRight = expected === undefined ? call.said === 'Unexpected server response: 426' : item?.response_status === 200;
    report(call, `${item?.provider ?? 'no record'}, ${JSON.stringify(counts)}`, isRight && isDeepStrictEqual(counts, expected));
  }
  if (provider.calls.length !== recorded) {
    report({ name: 'all together', id: '' }, `${provider.calls.length} calls, ${recorded} records`, false);
  }
  const sentExports = await reportSpans(recorder, provider.origin, api);
  await reportGuide(service.gateway, provider.origin, api);
  if (process.argv.includes('--record')) {
    writeSent({ calls: made.map((call) => ({ ...namedOf(call), sent: sentOf(call, sentCalls) })), exports: sentExports });
  }
  await recorder.close();
  const leaks = provider.calls.filter(({ headers }) => JSON.stringify(headers).includes(testKey));
  if (leaks.length > 0) report({ name: 'all together', id: '' }, 'the Gatelog key reached the provider', false);
  await service.stop();
  await provider.close();
} finally {
  removeDataDir(dataDir);
}

/** The set-up of docs/guides/opentelemetry.md with both of its variables for an address, each with an encoding. */
async function reportSpans({ origin: gateway, sent }: Recorder, origin: string, api: ApiClient): Promise<readonly SentExport[]> {
  const exports: SentExport[] = [];
  const setUps = [
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${gateway}/v1/otlp/v1/traces`, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: `${gateway}/v1/otlp`, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' },
  ];
  for (const setUp of setUps) {
    const variables = { PROVIDER: origin, OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${testKey}`, ...setUp };
    const made = madeIn(await run(node, ['spans.mjs'], variables));
    exports.push({ traces: made.map((call) => ({ ...namedOf(call), id: call.id })), sent: sent.splice(0) });
    for (const call of made) {
      const items = await recordsOfTrace(api, call);
      const record = items.map(
        ({ provider, model, prompt_tokens: input, completion_tokens: output, cost, session_id: session }) =>
          `${provider} ${model}, tokens ${input} and ${output}, ${cost} USD, session ${session}`,
      );
      const isRight = items.length === 1 && items.every((item) => isCounted(call.name, item) && (!isTold(call.name) || isTagged(item)));
      report({ ...call, name: `${call.name}, its span by ${Object.values(setUp)[1]}` }, record.join('; ') || 'no record', isRight);
    }
  }
  return exports;
}

function namedOf({ name }: Made): { readonly name: string; readonly version: string } {
  return { name, version: versionOf(name) };
}

/** A client that takes no headers of ours has one request, the last. */
function sentOf({ id, name }: Made, all: readonly SentRequest[]): SentRequest {
  const found = all.find(({ headers }) => headers.includes(id)) ?? all.at(-1);
  if (found === undefined) throw new Error(`${name} sent nothing`);
  return found;
}

function writeSent(sent: NewestClients): void {
  writeFileSync('test/fixtures/newest-clients.json', `${JSON.stringify(sent, null, 2).replaceAll(testKey, keyInFixture)}\n`);
}

/** The guide's program for AI SDK 7 as it stands, with a model and a question. */
async function reportGuide(gateway: string, origin: string, api: ApiClient): Promise<void> {
  const model = `createOpenAI({ baseURL: '${origin}/v1', apiKey: 'caller-key' })('gpt-5-mini')`;
  const given = `import { createOpenAI } from '@ai-sdk/openai';\nconst model = ${model};\nconst prompt = 'When does the harbour open?';\n`;
  writeFileSync(path.join(folder, 'guide.mjs'), given + guideSetUps.aiSdk7);
  await run('sh', ['-ec', `${pointedAt(guideSetUps.twoVariables, gateway)}\nexec "$0" guide.mjs`, node], { GATELOG_API_KEY: testKey });
  const find = async (): Promise<readonly RequestItem[] | undefined> => {
    const found = await api.query({ request_response_rmt: { properties: { 'Svc-Session-Id': { equals: 's1' } } } });
    return found.length > 0 ? found : undefined;
  };
  const items = await eventually("the request of the guide's program", find, spanMs).catch(() => []);
  const [item] = items;
  const isRight = items.every(
    (each) => isCounted('ai generateText', each) && each.request_user_id === 'ada' && each.properties['team'] === 'search',
  );
  report({ name: 'ai 7 of the guide', id: '' }, `${item?.model ?? 'no record'}, ${item?.cost ?? 0} USD`, items.length === 1 && isRight);
}

function isCounted(name: string, item: RequestItem): boolean {
  return isDeepStrictEqual(toldCounts(name, item), countsOf(name)) && hasCost(item);
}

async function recordsOfTrace(api: ApiClient, call: Made): Promise<readonly RequestItem[]> {
  let items: readonly RequestItem[] = [];
  const find = async (): Promise<true | undefined> => {
    items = await api.query({ request_response_rmt: { trace_id: { equals: call.id } } });
    return items.length > 0 && (!isTold(call.name) || items.every(isTagged)) ? true : undefined;
  };
  await eventually(`the span of ${call.name}`, find, spanMs).catch(() => undefined);
  return items;
}

function madeIn(lines: string): readonly Made[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Made);
}

function report({ name, said, error }: Made, record: string, isRight: boolean): void {
  const isGood = isRight && error === undefined;
  if (!isGood) process.exitCode = 1;
  console.log(`${isGood ? 'ok   ' : 'FAULT'} ${name} (${versionOf(name)}): ${JSON.stringify(error ?? said)}; ${record}`);
}

function versionOf(name: string): string {
  const client = clients.find((each) => name.startsWith(`${each} `));
  if (client === undefined) return '';
  return (JSON.parse(readFileSync(path.join(folder, 'node_modules', client, 'package.json'), 'utf8')) as { readonly version: string })
    .version;
}

/** @returns what it printed. @throws when it fails. */
async function run(command: string, words: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<string> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_(package_|lifecycle_|config_local_prefix$|command$)/.test(name));
  const child = spawn(command, words, {
    cwd: folder,
    env: { ...Object.fromEntries(inherited), ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}`);
  return output;
}
