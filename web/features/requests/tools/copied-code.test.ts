import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../../../src/client/client.ts';
import { clientCodeOf, curlOf } from './copied-code.ts';

const filter = { request_response_rmt: { user_id: { equals: "O'Neill" } } };
const asked: unknown[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    asked.push([request.url, request.headers.authorization, JSON.parse(body)]);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"request_id":"first"}],"error":null}');
  });
});
let apiUrl = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

it('the program that is copied lists the requests by the client', async () => {
  const program = clientCodeOf(apiUrl, JSON.stringify(filter)).replace(/^import .*$/m, '');
  const printed: unknown[] = [];
  const scope = {
    createClient: (options: object) => createClient({ ...options, apiKey: 'sk-svc-us-key' }),
    console: { log: (line: unknown) => printed.push(line) },
  };
  await runInNewContext(`(async () => {${program}})()`, scope);
  expect(printed).toEqual(['first']);
  expect(asked.splice(0)).toEqual([['/v1/request/query-clickhouse', 'Bearer sk-svc-us-key', expect.objectContaining({ filter })]]);
});

it('the curl that is copied asks for them in a shell', async () => {
  const environment = { ...process.env, GATELOG_API_KEY: 'sk-svc-us-key' };
  const { stdout } = await promisify(execFile)('sh', ['-c', curlOf(apiUrl, JSON.stringify(filter))], { env: environment });
  expect(stdout).toContain('"request_id":"first"');
  expect(asked.splice(0)).toEqual([['/v1/request/query-clickhouse', 'Bearer sk-svc-us-key', { filter, limit: 100 }]]);
});
