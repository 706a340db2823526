import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RequestItem } from '../src/contract/requests/item.ts';
import type { SessionItem } from '../src/contract/sessions/item.ts';
import type { SessionNode } from '../src/contract/sessions/view.ts';
import { type ApiClient, apiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { type RecordedProvider, startRecordedProvider } from './support/recorded-provider.ts';

const dataDir = makeDataDir();
let service: Service;
let provider: RecordedProvider;
let api: ApiClient;

beforeAll(async () => {
  provider = await startRecordedProvider();
  service = await startService({ dataDir, environment: environment() });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

function environment(): Readonly<Record<string, string>> {
  return {
    GATELOG_INGEST_INTERVAL_MS: '20',
    GATELOG_PROVIDER_OPENAI_URL: `${provider.origin}/v1`,
    GATELOG_PROVIDER_OPENAI_KEY: 'deployment-key',
    GATELOG_PROVIDER_ANTHROPIC_URL: provider.origin,
    GATELOG_PROVIDER_ANTHROPIC_KEY: 'deployment-key',
    GATELOG_PROVIDER_GEMINI_URL: provider.origin,
    GATELOG_PROVIDER_GEMINI_KEY: 'deployment-key',
  };
}

interface AgentCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

const question = [{ role: 'user', content: 'When does the harbour open?' }];
const claude = 'a01e6601-6303-445c-80c8-9c5474e5cd40';
const codex = '01a2140c-49da-7652-9f5c-3afe4431b016';
const opencode = 'ses_debf35d9dffe27uMu6JFkAz2N7';
const kilo = 'ses_de0348958ffe6LfRy1tDSJzpQk';
const qwen = '846924d9-6b8f-4f67-91e9-547da0bdf114';
const pi = '01a2140e-dfb3-7562-af92-7a7fa9aac1f0';

/** A call as Claude Code 2.1.332 sends it, with the hints for gateways. */
function claudeCall(agent: Readonly<Record<string, string>>, requestClass: string): AgentCall {
  return {
    path: '/anthropic/v1/messages?beta=true',
    headers: {
      authorization: `Bearer ${testKey}`,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'claude-code-20250219,context-management-2025-06-27',
      'user-agent': 'claude-cli/2.1.332 (external, sdk-cli)',
      'x-claude-code-session-id': claude,
      'x-claude-code-request-class': requestClass,
      'svc-property-repository': 'harbour',
      ...agent,
    },
    body: {
      model: 'claude-sonnet-4-5',
      max_tokens: 32_000,
      stream: true,
      messages: question,
      metadata: { user_id: JSON.stringify({ device_id: 'd85ce1c4', account_uuid: '', session_id: claude }) },
    },
  };
}

const bearer = { authorization: `Bearer ${testKey}` };
const chat = { model: 'gpt-4o', stream: true, stream_options: { include_usage: true }, messages: question };
const responses = { model: 'gpt-5-mini', stream: true, store: false, input: question };

/** The calls of one session of each agent, its session, and what they cost together. */
const agents: readonly (readonly [agent: string, calls: readonly AgentCall[], session: string, cost: number])[] = [
  [
    'Claude Code, whose agent starts another one',
    [
      claudeCall({}, 'main'),
      claudeCall({ 'x-claude-code-agent-id': 'a8a5594e5b93e0bcb' }, 'subagent'),
      claudeCall({ 'x-claude-code-agent-id': 'a958b7121d77d5b7a', 'x-claude-code-parent-agent-id': 'a8a5594e5b93e0bcb' }, 'subagent'),
    ],
    claude,
    3 * 0.0078324,
  ],
  [
    'Codex 0.171',
    [
      {
        path: '/v1/responses',
        headers: { ...bearer, 'session-id': codex, 'thread-id': codex, 'x-client-request-id': codex, originator: 'codex_exec' },
        body: { ...responses, prompt_cache_key: codex },
      },
    ],
    codex,
    0.0003171,
  ],
  [
    'OpenCode 1.18, whose agent has a session of its own',
    [
      { path: '/v1/chat/completions', headers: { ...bearer, 'x-session-affinity': opencode, 'x-session-id': opencode }, body: chat },
      {
        path: '/v1/chat/completions',
        headers: { ...bearer, 'x-session-affinity': 'ses_2', 'x-session-id': 'ses_2', 'x-parent-session-id': opencode },
        body: chat,
      },
    ],
    opencode,
    2 * 0.002665,
  ],
  [
    'Kilo 7.7, with the title of its session',
    [
      {
        path: '/v1/chat/completions',
        headers: { ...bearer, 'x-session-affinity': `title-${kilo}`, 'x-session-id': `title-${kilo}` },
        body: chat,
      },
      { path: '/v1/chat/completions', headers: { ...bearer, 'x-session-affinity': kilo, 'x-session-id': kilo }, body: chat },
    ],
    kilo,
    2 * 0.002665,
  ],
  [
    'Continue 1.5, whose session is told by a header of ours',
    [{ path: '/v1/chat/completions', headers: { ...bearer, 'svc-session-id': 'continue-1', 'user-agent': 'ls/JS 5.23.2' }, body: chat }],
    'continue-1',
    0.002665,
  ],
  [
    'Qwen Code 0.24 by its headers, and by its cache key',
    [
      { path: '/v1/chat/completions', headers: { ...bearer, 'x-qwen-code-session-id': qwen }, body: chat },
      { path: '/v1/responses', headers: bearer, body: { ...responses, prompt_cache_key: `qwen-code:${qwen}` } },
    ],
    qwen,
    0.002665 + 0.0003171,
  ],
  [
    'Gemini CLI 0.61, whose session is told by a header of ours',
    [
      {
        path: '/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
        headers: { 'x-goog-api-key': testKey, 'svc-session-id': 'gemini-1', 'user-agent': 'GeminiCLI-tui/0.61.0/gemini-2.5-flash' },
        body: { contents: [{ role: 'user', parts: [{ text: 'When does the harbour open?' }] }] },
      },
    ],
    'gemini-1',
    0.00067202,
  ],
  [
    'pi 0.73 and 1.6',
    [
      { path: '/v1/responses', headers: { ...bearer, session_id: pi }, body: { ...responses, prompt_cache_key: pi } },
      { path: '/v1/responses', headers: { ...bearer, 'session-id': pi }, body: { ...responses, prompt_cache_key: pi } },
    ],
    pi,
    2 * 0.0003171,
  ],
];

async function send({ path, headers, body }: AgentCall): Promise<string> {
  const response = await fetch(service.gateway + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  return response.headers.get('svc-id') ?? '';
}

async function sessionNamed(sessionId: string, requests: number): Promise<SessionItem> {
  return eventually(`the session ${sessionId}`, async () => {
    const { body } = await api.call<readonly SessionItem[]>('POST', '/v1/session/query', { search: sessionId });
    return body.data.find((session) => session.session_id === sessionId && session.total_requests === requests);
  });
}

it.each(agents)('%s: its session is seen with its cost', async (_agent, calls, sessionId, cost) => {
  for (const call of calls) await send(call);
  const { total_cost: totalCost } = await sessionNamed(sessionId, calls.length);
  expect(totalCost).toBeCloseTo(cost, 10);
  // Headers of ours never reach the provider; those of the agent do.
  for (const { headers } of provider.calls) expect(Object.keys(headers).filter((name) => name.startsWith('svc-'))).toEqual([]);
});

it('agents of Claude Code are places in the tree of the session, each with its cost', async () => {
  const { body } = await api.call<{ readonly tree: readonly SessionNode[] }>('GET', `/v1/session/${claude}`);
  const shown = ({ path, totals, children }: SessionNode): unknown => [path, totals.requests, ...children.map(shown)];
  expect(body.data.tree.map(shown)).toEqual([['/', 3, ['/a8a5594e5b93e0bcb', 2, ['/a8a5594e5b93e0bcb/a958b7121d77d5b7a', 1]]]]);
});

it('its user is one in all sessions, and what a kind of request costs is a question to the metrics', async () => {
  const { user_ids: users } = await sessionNamed(claude, 3);
  expect(users).toEqual(['d85ce1c4']);
  const { body } = await api.call('POST', '/v1/metrics/query', {
    metrics: ['count', 'cost'],
    groupBy: [{ property: 'Request-Class' }],
    filter: { request_response_rmt: { properties: { 'Request-Class': { 'not-equals': '' } } } },
  });
  expect(body.data).toEqual(
    expect.arrayContaining([
      { 'properties.Request-Class': 'main', count: 1, cost: 0.0078324 },
      { 'properties.Request-Class': 'subagent', count: 2, cost: 0.0156648 },
    ]),
  );
});

it('with the setting off only our headers name sessions', async () => {
  await service.stop();
  service = await startService({ dataDir, environment: { ...environment(), GATELOG_AGENT_SESSIONS: 'off' } });
  api = apiClient(service.api);
  const calls: readonly AgentCall[] = [claudeCall({}, 'main'), ...(agents[1]?.[1] ?? [])];
  for (const call of calls) {
    const { session_id: sessionId, properties } = await api.stored(await send(call));
    expect([sessionId, properties['Request-Class']] satisfies [RequestItem['session_id'], unknown]).toEqual([null, undefined]);
  }
});
