import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Analyst, questions, recordUntil, type RecordedItem } from './support/analyst.ts';
import { apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { stablePort } from './support/stable-port.ts';
import { makeDataDir, program, removeDataDir, serviceEnvironment, type Service, startService, testKey } from './support/process-tree.ts';

/** The tools as a program uses them: the protocol's own client over both transports, with a key that may only read. */

const dataDir = makeDataDir();
const publicUrl = 'http://logs.example.com/gatelog';
let service: Service;
let apiUrl: string;
let readKey: string;
let now: number;
let record: readonly RecordedItem[];
const clients: Client[] = [];

beforeAll(async () => {
  const port = String(await stablePort());
  apiUrl = `http://127.0.0.1:${port}`;
  const environment = { GATELOG_INGEST_INTERVAL_MS: '20', GATELOG_PUBLIC_API_URL: publicUrl, GATELOG_API_PORT: port };
  service = await startService({ dataDir, environment });
  const api = apiClient(apiUrl);
  now = Date.now();
  record = recordUntil(now);
  const response = await fetch(`${apiUrl}/v1/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/x-ndjson' },
    body: record.map((item) => JSON.stringify(item)).join('\n'),
  });
  if (response.status !== 200) throw new Error(await response.text());
  await eventually('all requests to be stored', async () => {
    const { body } = await api.call<number>('POST', '/v1/request/count/query', { filter: {} });
    return body.data === record.length ? true : undefined;
  });
  const made = await api.call<{ readonly apiKey: string }>('POST', '/v1/api-keys', { api_key_name: 'tools', key_permissions: 'r' });
  readKey = made.body.data.apiKey;
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await service?.stop();
  removeDataDir(dataDir);
});

async function connected(transport: Parameters<Client['connect']>[0]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  clients.push(client);
  await client.connect(transport);
  return client;
}

const transports = {
  stdio: () =>
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp'],
      env: { ...serviceEnvironment({ dataDir }), GATELOG_API_URL: apiUrl, GATELOG_API_KEY: readKey, GATELOG_PUBLIC_API_URL: publicUrl },
    }),
  http: () =>
    new StreamableHTTPClientTransport(new URL('/mcp', apiUrl), { requestInit: { headers: { authorization: `Bearer ${readKey}` } } }),
};

describe.each(Object.entries(transports))('over %s', (name, transport) => {
  let client: Client;
  beforeAll(async () => {
    client = await connected(transport());
  });

  it('lists tools that only read, in few tokens', async () => {
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([
      'query_metrics',
      'query_requests',
      'query_sessions',
      'read_request',
      'explain_filter',
      'describe',
    ]);
    expect(tools.every(({ annotations, inputSchema }) => annotations?.readOnlyHint === true && inputSchema.type === 'object')).toBe(true);
    const shownToModels = tools.map((tool) => ({ name: tool.name, description: tool.description, input_schema: tool.inputSchema }));
    process.stdout.write(
      `${name}: tools/list ${countTokens(JSON.stringify({ tools }))} tokens, what models read of it ${countTokens(JSON.stringify(shownToModels))}\n`,
    );
    expect(countTokens(JSON.stringify(shownToModels))).toBeLessThan(2500);
  });

  it('answers ten questions of an analyst with at most three calls each', async () => {
    const lines: string[] = [];
    for (const { question, ask } of questions) {
      const analyst = new Analyst(client);
      await ask(analyst, record, now);
      expect(analyst.calls).toBeLessThanOrEqual(3);
      lines.push(`| ${question} | ${analyst.calls} | ${analyst.tokens} |`);
    }
    process.stdout.write([`${name}:`, '| question | calls | tokens |', '| --- | --- | --- |', ...lines, ''].join('\n'));
  });

  it('hands out the public address alone', async () => {
    const analyst = new Analyst(client);
    const { link } = await analyst.metrics({ metrics: ['count'] });
    expect(link).toMatch(/^http:\/\/logs\.example\.com\/gatelog\/v1\/export\?/);
    const id = record[0]?.request_id ?? '';
    expect(await analyst.call('read_request', { id })).toContain(`${publicUrl}/v1/request/${id}`);
  });
});

it('ends with its client, and says what is missing before it serves', async () => {
  const { execFile } = await import('node:child_process');
  const result = await new Promise<{ readonly code: unknown; readonly stderr: string; readonly stdout: string }>((resolve) => {
    execFile(process.execPath, [program, 'mcp'], { env: serviceEnvironment({ dataDir }) }, (error, stdout, stderr) =>
      resolve({ code: error?.code, stdout, stderr }),
    );
  });
  expect(result).toEqual({ code: 4, stdout: '', stderr: expect.stringContaining('GATELOG_API_KEY is not set') as string });
});
