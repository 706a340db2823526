import { HeliconeManualLogger } from '@helicone/helpers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

const dataDir = makeDataDir();
let service: Service;
let api: ApiClient;

beforeAll(async () => {
  service = await startService({ dataDir });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  removeDataDir(dataDir);
});

const chat = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'Why is the sky blue?' }] };
const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'gpt-4o-mini-2024-07-18',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Because.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
};

describe.each(['gateway', 'api'] as const)("Helicone's manual logger at the listener of the %s", (listener) => {
  const logger = (team: string): HeliconeManualLogger =>
    new HeliconeManualLogger({ apiKey: testKey, loggingEndpoint: service[listener], headers: { 'Helicone-Property-Team': team } });

  it('logs a call, which has its tokens and its cost', async () => {
    const team = `request-${listener}`;
    await logger(team).logRequest(
      chat,
      (recorder) => {
        recorder.appendResults(completion);
        return Promise.resolve('done');
      },
      { 'Helicone-User-Id': 'ann', 'Helicone-Session-Id': `session-${listener}` },
      'openai',
    );
    const item = await eventually('the logged call', async () => {
      const [found] = await api.query({ request_response_rmt: { properties: { Team: { equals: team } } } });
      return found;
    });
    expect(item).toMatchObject({
      provider: 'OPENAI',
      model: completion.model,
      response_status: 200,
      request_user_id: 'ann',
      session_id: `session-${listener}`,
      prompt_tokens: 1000,
      completion_tokens: 100,
      // 1,000 × 0.15 $ and 100 × 0.60 $ for a million.
      cost: 0.00021,
    });
  });

  it('logs a step of a tool, which costs nothing', async () => {
    const team = `tool-${listener}`;
    await logger(team).logRequest({ _type: 'tool', toolName: 'weather', input: { city: 'Bonn' } }, (recorder) => {
      recorder.appendResults({ _type: 'tool', toolName: 'weather', status: 'success', message: 'sunny' });
      return Promise.resolve('sunny');
    });
    const item = await eventually('the logged step', async () => {
      const [found] = await api.query({ request_response_rmt: { properties: { Team: { equals: team } } } });
      return found;
    });
    expect(item).toMatchObject({ provider: 'CUSTOM', model: 'tool:weather', cost: 0 });
  });
});

it('a log that is sent twice under one identifier is there once', async () => {
  const id = '8f6b0f6e-5d0e-4c53-9a52-0a3c2f1f0002';
  const log = {
    providerRequest: {
      url: 'https://api.openai.com/v1/chat/completions',
      json: chat,
      meta: { 'Svc-Request-Id': id, 'Svc-Property-Team': 'twice' },
    },
    providerResponse: { json: completion, status: 200, headers: {} },
  };
  for (const base of [service.gateway, service.api]) {
    const response = await fetch(`${base}/custom/v1/log`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(log),
    });
    expect([response.status, response.headers.get('svc-id')]).toEqual([200, id]);
  }
  await api.stored(id);
  // A later log is stored behind both.
  const after = await fetch(`${service.api}/oai/v1/log`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...log, providerRequest: { ...log.providerRequest, meta: {} } }),
  });
  await api.stored(after.headers.get('svc-id') ?? '');
  expect(await api.query({ request_response_rmt: { properties: { Team: { equals: 'twice' } } } })).toHaveLength(1);
});
