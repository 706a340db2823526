/**
 * `npm run soak -- senders`: makes calls under Helicone's asynchronous logger and, with the set-ups of docs/guides/opentelemetry.md as they
 * stand, under Traceloop's SDK and under Langfuse's exporter. They are some hundred packages, of `bench/senders/package.json`, and so no dependencies of the project. What
 * they tell a real service is compared with the gateway's records of the same calls. The first run installs them there (about 400 MB on the
 * disk). The exit code is 1 when a record is missing, there twice, or says something else.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installPeers } from '../../bench/peers/install.ts';
import type { RequestItem } from '../../src/contract/requests/item.ts';
import { type ApiClient, apiClient } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { guideSetUps, pointedAt } from '../support/opentelemetry-guide.ts';
import { killStarted, makeDataDir, removeDataDir, type Service, startService, testKey } from '../support/process-tree.ts';
import { type RecordedProvider, startRecordedProvider } from '../support/recorded-provider.ts';
import { chatBody, type Scenario } from '../support/sender-calls.mjs';

const packages = path.resolve('bench/senders');
const dataDir = makeDataDir();

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

try {
  await installPeers(packages);
  const provider = await startRecordedProvider();
  const service = await startService({ dataDir, environment: { GATELOG_PROVIDER_OPENAI_URL: `${provider.origin}/v1` } });
  for (const scenario of ['chat', 'tools'] as const) await compare(service, provider, scenario);
  await compareSetUp({ service, provider }, guideSetUps.openLlmetry, [path.resolve('test/support/traceloop-sdk.mjs'), 'chat']);
  await compareSetUp({ service, provider }, guideSetUps.twoVariables, [langfuseProgram(provider)]);
  await service.stop();
  await provider.close();
} finally {
  removeDataDir(dataDir);
}

/** Facts that it tells. It leaves out what a cache held, and so the cost is that of tokens that none held. */
function factsOf(item: RequestItem): Partial<RequestItem> {
  const { provider, request_model, model, response_status, prompt_tokens, completion_tokens, usage_estimated } = item;
  return { provider, request_model, model, response_status, prompt_tokens, completion_tokens, usage_estimated };
}

async function compare(service: Service, provider: RecordedProvider, scenario: Scenario): Promise<void> {
  const api = apiClient(service.api);
  const told = await toldOf(service, provider, api, scenario);
  const passed = await passedOf(service, api, scenario);
  const [one, other] = [factsOf(told), factsOf(passed)].map((facts) => JSON.stringify(facts));
  const isTagged = told.request_user_id === 'ada' && told.session_path === '/openai.chat';
  console.log(`${scenario}: told   ${one} ${told.cost ?? '?'} USD\n${scenario}: passed ${other} ${passed.cost ?? '?'} USD`);
  if (one !== other || !isTagged) process.exitCode = 1;
}

async function toldOf(service: Service, provider: RecordedProvider, api: ApiClient, scenario: Scenario): Promise<RequestItem> {
  const child = spawn(process.execPath, [path.resolve('test/support/async-logger.mjs'), scenario], {
    env: {
      ...process.env,
      PACKAGES: packages,
      LOG_ENDPOINT: pointedAt(guideSetUps.asyncLoggerUrl, service.gateway),
      LOG_KEY: testKey,
      LOG_RUN: scenario,
      PROVIDER_URL: `${provider.origin}/v1`,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'exit');
  const [item, ...others] = await eventually(`the request of ${scenario}`, async () => {
    const found = await api.query({ request_response_rmt: { properties: { Run: { equals: scenario } } } });
    return found.length > 0 ? found : undefined;
  });
  if (item === undefined || others.length > 0) throw new Error(`${scenario} is there ${others.length + 1} times`);
  return item;
}

async function passedOf(service: Service, api: ApiClient, scenario: Scenario): Promise<RequestItem> {
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'svc-auth': `Bearer ${testKey}`, authorization: 'Bearer sk' },
    body: JSON.stringify(chatBody(scenario)),
  });
  await response.arrayBuffer();
  return api.stored(response.headers.get('svc-id') ?? '');
}

interface Scene {
  readonly service: Service;
  readonly provider: RecordedProvider;
}

/** Runs a program under variables that a shell sets, and compares what it tells with the gateway's record of the same call. */
async function compareSetUp({ service, provider }: Scene, variables: string, program: readonly string[]): Promise<void> {
  const api = apiClient(service.api);
  const name = path.basename(program[0] ?? '', '.mjs');
  const script = `${pointedAt(variables, service.gateway)}\nexec "$0" "$@"`;
  const own = { GATELOG_API_KEY: testKey, OTEL_SERVICE_NAME: name, PACKAGES: packages, PROVIDER_URL: `${provider.origin}/v1` };
  const child = spawn('sh', ['-ec', script, process.execPath, ...program], {
    env: { ...process.env, ...own },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'exit');
  const [told, ...others] = await eventually(`the request of ${name}`, async () => {
    const found = await api.query({ request_response_rmt: { properties: { 'service.name': { equals: name } } } });
    return found.length > 0 ? found : undefined;
  });
  const [one, other] = [told, await passedOf(service, api, 'chat')].map(
    (item) => item && JSON.stringify({ ...factsOf(item), request_model: '' }),
  );
  console.log(`${name}: told   ${one}\n${name}: passed ${other}`);
  if (one !== other || others.length > 0) process.exitCode = 1;
}

/** The guide's program, where it finds these packages, with a client. Langfuse's are those of the project. */
function langfuseProgram({ origin }: RecordedProvider): string {
  const folder = path.join(packages, 'node_modules', '.guide');
  const file = path.join(folder, 'langfuse.mjs');
  const client = `const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: 'sk-of-the-provider', maxRetries: 0 });`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    file,
    `import OpenAI from 'openai';\n${client}\nconst { messages } = ${JSON.stringify(chatBody('chat'))};\n${guideSetUps.langfuse}`,
  );
  return file;
}
