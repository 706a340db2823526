import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionItem } from '../src/contract/sessions/item.ts';
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

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** @returns the session and the path of the stored request. */
async function placed({ headers = {}, body = {} }: Sent): Promise<readonly [session: string | null, path: string | null]> {
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'echo/words', messages: [{ role: 'user', content: 'three words here' }], ...body }),
  });
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  const { session_id: session, session_path: path } = await api.stored(response.headers.get('svc-id') ?? '');
  return [session, path];
}

const uuid = 'a01e6601-6303-445c-80c8-9c5474e5cd40';

describe('a call without a session of its own belongs to that of its coding agent', () => {
  it.each<readonly [string, Sent, session: string, path: string | null]>([
    ['Claude Code', { headers: { 'x-claude-code-session-id': uuid } }, uuid, null],
    ['an agent of Claude Code', { headers: { 'x-claude-code-session-id': 'claude-1', 'x-claude-code-agent-id': 'a7' } }, 'claude-1', '/a7'],
    ['Codex', { headers: { 'session-id': 'codex-1', 'thread-id': 'codex-1' } }, 'codex-1', null],
    ['Qwen Code', { headers: { 'x-qwen-code-session-id': 'qwen-1' } }, 'qwen-1', null],
    ['OpenCode', { headers: { 'x-session-id': 'ses_1' } }, 'ses_1', null],
    ['a cache key of Codex or pi', { body: { prompt_cache_key: uuid } }, uuid, null],
  ])('%s', async (_agent, sent, session, path) => {
    expect(await placed(sent)).toEqual([session, path]);
  });

  it('but a header of ours decides where there is one', async () => {
    expect(await placed({ headers: { 'Svc-Session-Id': 'ours', 'x-claude-code-session-id': 'theirs' } })).toEqual(['ours', null]);
  });

  it('and another cache key names no session', async () => {
    const [session] = await placed({ body: { prompt_cache_key: 'my-application' } });
    expect(session).toBeNull();
  });
});

it('a session of a coding agent has its cost', async () => {
  await placed({ headers: { 'x-claude-code-session-id': 'costly' } });
  await placed({ headers: { 'x-claude-code-session-id': 'costly', 'x-claude-code-agent-id': 'helper' } });
  const found = await eventually('the session', async () => {
    const { body } = await api.call<readonly SessionItem[]>('POST', '/v1/session/query', { search: 'costly', filter: {} });
    return body.data.find(({ total_requests: count }) => count === 2);
  });
  expect(found.total_cost).toBeGreaterThan(0);
});
