import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request as startRequest } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, expect, it } from 'vitest';
import { selfSigned } from '../src/gateway/testing/self-signed.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, program, removeDataDir, type Service, serviceEnvironment, startService, testKey } from './support/process-tree.ts';
import { stablePort } from './support/stable-port.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-tls-'));
const dataDir = makeDataDir();
const files = { GATELOG_TLS_CERT_FILE: path.join(folder, 'cert.pem'), GATELOG_TLS_KEY_FILE: path.join(folder, 'key.pem') };
/** Certificates of the service, that of now and those before. */
const trusted: string[] = [];
let service: Service | undefined;

afterEach(async () => {
  await service?.stop();
});
afterAll(() => {
  removeDataDir(dataDir);
  rmSync(folder, { recursive: true });
});

function writeCertificate(host: string): void {
  const { cert, key } = selfSigned(host);
  trusted.push(cert);
  writeFileSync(files.GATELOG_TLS_KEY_FILE, key);
  writeFileSync(files.GATELOG_TLS_CERT_FILE, cert);
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** The host of the certificate. */
  readonly host: string | undefined;
}

async function ask(url: string, body?: object, agent: Agent | false = false): Promise<Answer> {
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' };
  const request = startRequest(url, { agent, ca: trusted, headers, method: body === undefined ? 'GET' : 'POST' });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const { CN: host } = (response.socket as TLSSocket).getPeerCertificate().subject;
  return { status: response.statusCode, headers: response.headers, text: await text(response), host: String(host) };
}

const call = { model: 'echo/demo', stream: true, messages: [{ role: 'user', content: 'Hello' }] };

it('both listeners speak https, the workers reach the core, and a renewed certificate is taken up by both', async () => {
  writeCertificate('first.example.com');
  service = await startService({ dataDir, environment: { ...files, GATELOG_INGEST_INTERVAL_MS: '20' } });
  const { gateway, api } = service;
  expect([gateway, api].map((address) => new URL(address).protocol)).toEqual(['https:', 'https:']);
  const { host } = await eventually('the workers to reach the core', async () => {
    const readiness = await ask(`${gateway}/readyz`);
    return readiness.status === 200 && readiness.text.includes('"degraded":[]') ? readiness : undefined;
  });
  expect(host).toBe('first.example.com');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers = [await ask(`${gateway}/v1/chat/completions`, call, agent), await ask(`${gateway}/v1/chat/completions`, call, agent)];
  agent.destroy();
  expect(answers.map((answer) => [answer.status, answer.text.includes('data: [DONE]')])).toEqual([
    [200, true],
    [200, true],
  ]);
  const id = String(answers[0]?.headers['svc-id']);
  await eventually('the call to be found', async () => ((await ask(`${api}/v1/request/${id}`)).status === 200 ? true : undefined));
  expect((await ask(`${gateway}/v1/feedback`, { 'helicone-id': id, rating: true })).status).toBe(200);
  await expect(fetch(`${gateway.replace('https', 'http')}/readyz`)).rejects.toThrow('fetch failed');
  const signIn = await ask(`${api}/v1/session-cookie`, { apiKey: testKey });
  expect(signIn.headers['set-cookie']?.[0]).toMatch(/; Secure/);

  writeCertificate('renewed.example.com');
  for (const address of [gateway, api]) {
    await eventually('the renewed certificate', async () =>
      (await ask(`${address}/readyz`)).host === 'renewed.example.com' ? true : undefined,
    );
  }
});

it('one listener speaks https too', async () => {
  writeCertificate('one.example.com');
  const port = String(await stablePort());
  service = await startService({ dataDir, environment: { ...files, GATELOG_GATEWAY_PORT: '', GATELOG_API_PORT: '', GATELOG_PORT: port } });
  expect(service.api).toBe(`https://127.0.0.1:${port}`);
  const answers = [await ask(`${service.gateway}/v1/chat/completions`, call), await ask(`${service.api}/v1/session-cookie`)];
  expect(answers.map(({ status, host }) => [status, host])).toEqual([
    [200, 'one.example.com'],
    [200, 'one.example.com'],
  ]);
});

it('a key that does not fit its certificate stops the start', () => {
  writeCertificate('mine.example.com');
  writeFileSync(files.GATELOG_TLS_KEY_FILE, selfSigned('mine.example.com').key);
  const { status, stderr } = spawnSync(process.execPath, [program, 'serve'], {
    env: serviceEnvironment({ dataDir, environment: files }),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^The key in .*key\.pem \(GATELOG_TLS_KEY_FILE\) is not that of the first certificate/),
  ]);
});
