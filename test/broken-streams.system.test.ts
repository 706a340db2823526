import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { type FakeOpenAi, startFakeOpenAi, streamEvents } from './support/fake-openai.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

const dataDir = makeDataDir();
let service: Service;
let provider: FakeOpenAi;
let api: ApiClient;

beforeAll(async () => {
  provider = await startFakeOpenAi();
  service = await startService({
    dataDir,
    environment: { GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl, GATELOG_PROVIDER_HEADERS_TIMEOUT_MS: '700' },
  });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

/** The head and the stream of a streamed call; the caller decides when to leave. */
function openStream(): Promise<{ readonly id: string; readonly response: IncomingMessage; readonly leave: () => void }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      `${service.gateway}/v1/chat/completions`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer sk-provider', 'svc-auth': `Bearer ${testKey}` },
      },
      (response) => resolve({ id: String(response.headers['svc-id']), response, leave: () => request.destroy() }),
    );
    request.on('error', reject);
    request.end(JSON.stringify({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'Hello' }] }));
  });
}

/** Sends the first two words of a stream and keeps it open. */
function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of streamEvents().slice(0, 3)) response.write(event);
}

/** Collects what arrives until it holds a text. */
async function readUntil(response: IncomingMessage, text: string): Promise<void> {
  let received = '';
  response.on('data', (chunk: Buffer) => {
    received += chunk.toString('utf8');
  });
  await eventually(`the client to receive ${text}`, () => (received.includes(text) ? true : undefined));
}

const partial = { choices: [{ message: { role: 'assistant', content: 'Grüße, 世界' } }] };

describe('a call that ends before its time is on record as far as it came', () => {
  it('the client leaves in mid-stream: status 499, the partial body, and the provider is let go', async () => {
    let providerSawEnd = false;
    provider.behave((_call, response) => {
      beginStream(response);
      response.on('close', () => {
        providerSawEnd = true;
      });
    });
    const { id, response, leave } = await openStream();
    await readUntil(response, '世界');
    leave();
    const item = await api.stored(id);
    expect(item.response_status).toBe(499);
    expect(item.response_body).toMatchObject(partial);
    await eventually('the provider to see the end', () => (providerSawEnd ? true : undefined));
  });

  it('the provider resets in mid-stream: the client sees it break, status 502, the partial body', async () => {
    provider.behave((_call, response) => {
      beginStream(response);
      setImmediate(() => response.socket?.resetAndDestroy());
    });
    const { id, response } = await openStream();
    const ended = new Promise<string>((resolve) => {
      response.on('error', () => resolve('broken'));
      response.on('end', () => resolve('whole'));
      response.resume();
    });
    expect(await ended).toBe('broken');
    const item = await api.stored(id);
    expect(item.response_status).toBe(502);
    expect(item.response_body).toMatchObject({ choices: [{ message: { role: 'assistant' } }] });
  });

  it('the provider never answers: 504 with a sentence for the client, status 0 on record', async () => {
    provider.behave(() => undefined);
    const response = await fetch(`${service.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sk-provider', 'svc-auth': `Bearer ${testKey}` },
      body: JSON.stringify({ model: 'gpt-4o', messages: [] }),
    });
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ error: { type: 'gatelog_error', code: 'provider_timeout' } });
    const item = await api.stored(response.headers.get('svc-id') ?? '');
    expect(item.response_status).toBe(0);
  });
});
