import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { completion } from './support/fake-openai.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';

/** A self-signed certificate for `localhost`. */
const folder = path.join(import.meta.dirname, 'fixtures', 'tls');
const certificate = path.join(folder, 'certificate.pem');

/** Larger than a TLS record, and than a single read from a connection. */
const long = 'grüße '.repeat(200_000);

let provider: Server;
let providerUrl: string;
let connections = 0;
let requests = 0;

beforeAll(async () => {
  provider = createServer({ key: readFileSync(path.join(folder, 'key.pem')), cert: readFileSync(certificate) }, (request, response) => {
    requests += 1;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { stream?: boolean; messages: { content: string }[] };
      const content = body.messages[0]?.content ?? '';
      if (body.stream === true) {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        for (const word of ['one ', 'two ', 'three']) {
          response.write(`data: ${JSON.stringify({ model: 'gpt-4o', choices: [{ index: 0, delta: { content: word } }] })}\n\n`);
        }
        response.end('data: [DONE]\n\n');
      } else {
        response.setHeader('Content-Type', 'application/json');
        response.end(
          JSON.stringify({ ...completion, choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] }),
        );
      }
    });
  });
  provider.on('secureConnection', () => (connections += 1));
  await new Promise<void>((resolve) => {
    provider.listen(0, '127.0.0.1', resolve);
  });
  providerUrl = `https://localhost:${(provider.address() as AddressInfo).port}/v1`;
});

afterAll(() => {
  provider?.closeAllConnections();
  provider?.close();
});

function clientOf(service: Service): OpenAI {
  const defaultHeaders = { 'Svc-Auth': `Bearer ${testKey}` };
  return new OpenAI({ baseURL: `${service.gateway}/v1`, apiKey: 'sk-provider', defaultHeaders, maxRetries: 0 });
}

const ask = (content: string): { model: string; messages: { role: 'user'; content: string }[] } => ({
  model: 'gpt-4o',
  messages: [{ role: 'user', content }],
});

describe('a provider over HTTPS', () => {
  const dataDir = makeDataDir();
  let service: Service;

  beforeAll(async () => {
    service = await startService({ dataDir, environment: { GATELOG_PROVIDER_OPENAI_URL: providerUrl, NODE_EXTRA_CA_CERTS: certificate } });
  });

  afterAll(async () => {
    await service?.stop();
    removeDataDir(dataDir);
  });

  it('answers over connections that are used again, in a stream too, and with bodies of any size', async () => {
    const client = clientOf(service);
    const short = await client.chat.completions.create(ask('hello')).withResponse();
    expect(short.data.choices[0]?.message.content).toBe('hello');
    const echoed = await client.chat.completions.create(ask(long));
    expect(echoed.choices[0]?.message.content === long).toBe(true);
    let text = '';
    for await (const chunk of await client.chat.completions.create({ ...ask('count'), stream: true })) {
      text += chunk.choices[0]?.delta.content ?? '';
    }
    expect(text).toBe('one two three');
    // A call in the very tick in which a connection cools down opens another one.
    expect(connections).toBeLessThan(requests);
    const record = await apiClient(service.api).stored(short.response.headers.get('svc-id') ?? '');
    expect(record).toMatchObject({ response_status: 200, target_url: `${providerUrl}/chat/completions` });
  });
});

describe('a provider whose certificate is not trusted', () => {
  const dataDir = makeDataDir();
  let service: Service;

  beforeAll(async () => {
    service = await startService({ dataDir, environment: { GATELOG_PROVIDER_OPENAI_URL: providerUrl } });
  });

  afterAll(async () => {
    await service?.stop();
    removeDataDir(dataDir);
  });

  it('is not called: 502, which names the reason', async () => {
    const before = requests;
    const answer = await clientOf(service)
      .chat.completions.create(ask('hello'))
      .catch((error: unknown) => error);
    expect(answer).toBeInstanceOf(APIError);
    expect(answer).toMatchObject({ status: 502, code: 'provider_unreachable' });
    expect(String(answer)).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    // The provider may or may not see the end of the handshake: the client rejects the certificate after its own last message.
    expect(requests).toBe(before);
  });
});
