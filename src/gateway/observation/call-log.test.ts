import { afterEach, expect, it } from 'vitest';
import type { Observation } from '../../model/observation.ts';
import { CallLog } from './call-log.ts';
import { openAiAt, type Rig, startRig } from '../testing/gateway-harness.ts';
import { call, ourKey, requestText, startProvider, until } from '../testing/raw-http.ts';

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

async function started(providerPort: number): Promise<{ readonly rig: Rig; readonly told: Observation[] }> {
  const told: Observation[] = [];
  const callLog = new CallLog({ observe: (observation) => told.push(observation), monotonic: () => performance.now() });
  const rig = await startRig({ providers: openAiAt(providerPort, '/v1'), ports: { callLog } });
  opened.push(rig);
  return { rig, told };
}

const auth = `Authorization: Bearer ${ourKey}`;
const asks = (model: string): string => JSON.stringify({ model, messages: [{ role: 'user', content: 'a secret' }] });

it('tells of every call where it went and what came of it, also of those that are refused or reach nobody', async () => {
  const provider = await startProvider((_request, response) => void response.writeHead(418).end('{}'));
  opened.push(provider);
  const { rig, told } = await started(provider.port);
  const providerKey = 'X: y';
  const post = (path: string, headers: readonly string[], model: string) =>
    call(rig.port, requestText(`POST ${path}`, ['Content-Type: application/json', ...headers], asks(model)));
  await post('/v1/chat/completions', [auth], 'echo/words');
  await post(
    '/v1/chat/completions?key=sk-hidden',
    [`Svc-Auth: Bearer ${ourKey}`, 'Authorization: Bearer sk-provider', providerKey],
    'gpt-4o',
  );
  await post('/v1/chat/completions', ['Authorization: Bearer sk-svc-us-nobody'], 'gpt-4o');
  await post('/v1/chat/completions', [auth], 'gpt-4o');
  await call(rig.port, requestText('GET /healthz', []));
  await until(() => told.length === 4);
  const path = '/v1/chat/completions';
  expect(told).toEqual(
    [
      { method: 'POST', path, provider: 'echo', model: 'words', status: 200, code: undefined },
      { method: 'POST', path, provider: 'openai', model: 'gpt-4o', status: 418, code: undefined },
      { method: 'POST', path, provider: undefined, model: undefined, status: 401, code: 'invalid_key' },
      { method: 'POST', path, provider: undefined, model: undefined, status: 401, code: 'no_provider_key' },
    ].map((line) => ({ kind: 'call', ms: expect.any(Number) as number, ...line })),
  );
  expect(JSON.stringify(told)).not.toMatch(/secret|sk-|hidden/);
});

it('tells of a provider that cannot be reached', async () => {
  const { rig, told } = await started(1);
  await call(
    rig.port,
    requestText('POST /v1/chat/completions', [`Svc-Auth: Bearer ${ourKey}`, 'Authorization: Bearer sk-provider'], asks('gpt-4o')),
  );
  await until(() => told.length === 1);
  expect(told).toMatchObject([{ provider: 'openai', status: 502, code: 'provider_unreachable' }]);
});

it('adds up what is more than fifty a second', async () => {
  const { rig, told } = await started(1);
  const responses = await Promise.all(
    Array.from({ length: 80 }, () => call(rig.port, requestText('GET /v1/models', ['Authorization: Bearer sk-svc-us-nobody']))),
  );
  expect(responses.every(({ status }) => status === 401)).toBe(true);
  const lines = (): number => told.filter(({ kind }) => kind === 'call').length;
  const more = (): number => told.reduce((sum, told_) => sum + (told_.kind === 'more_calls' ? told_.calls : 0), 0);
  await until(() => lines() + more() === 80);
  expect(more()).toBeGreaterThan(0);
  expect(told.filter(({ kind }) => kind === 'more_calls')).toMatchObject([{ failed: more() }]);
});
