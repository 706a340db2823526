import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChangeItem } from '../src/contract/requests/changes.ts';
import type { RequestItem } from '../src/contract/requests/item.ts';
import type { SessionItem } from '../src/contract/sessions/item.ts';
import type { SessionNode } from '../src/contract/sessions/view.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { byLength } from './support/test-length.ts';

let service: Service;
let api: ApiClient;
const dataDir = makeDataDir();

beforeAll(async () => {
  service = await startService({ dataDir });
  api = apiClient(service.api);
  // The first batch starts the interpreter's thread and loads the price book.
  await api.stored(await chat({}));
});

afterAll(async () => {
  await service?.stop();
  removeDataDir(dataDir);
});

const body = JSON.stringify({ model: 'echo/words', messages: [{ role: 'user', content: 'three words here' }] });

/** A call through the gateway. @returns its identifier, once the response is complete. */
async function chat(headers: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json', ...headers },
    body,
  });
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  return response.headers.get('svc-id') ?? '';
}

interface SessionView {
  readonly session: SessionItem;
  readonly requests: readonly RequestItem[];
  readonly tree: readonly SessionNode[];
}

const pathOf = (sessionId: string, rest = ''): string => `/v1/session/${encodeURIComponent(sessionId)}${rest}`;

async function read(sessionId: string): Promise<SessionView | undefined> {
  const { status, body: answer } = await api.call<SessionView>('GET', pathOf(sessionId));
  if (status === 404) return undefined;
  expect(status).toBe(200);
  return answer.data;
}

describe('a session', () => {
  it('has a tree from its headers, a tag, feedback, and properties on all its requests', async () => {
    const sessionId = 'trace/1 ü';
    const header = { 'Svc-Properties': JSON.stringify({ 'Svc-Session-Id': 'trace/1 \u00fc' }).replaceAll('ü', '\\u00fc') };
    const ids: string[] = [];
    for (const path of ['/plan', '/plan/search', '/plan/search', '/answer']) {
      ids.push(await chat({ ...header, 'Helicone-Session-Path': path, 'Svc-Session-Name': 'a trace' }));
    }
    // The last request may not be stored yet; the property reaches it too.
    const put = await api.call('PUT', pathOf(sessionId, '/property'), { Reviewed: 'yes' });
    const rated = await api.call('POST', pathOf(sessionId, '/feedback'), { rating: true });
    const tagged = await api.call('POST', pathOf(sessionId, '/tag'), { tag: 'golden' });
    expect([put.status, rated.status, tagged.status]).toEqual([200, 200, 200]);
    for (const id of ids) await api.stored(id);
    const view = await read(sessionId);
    expect(
      // Shown under the prefix of the header that named the path.
      view?.requests.map(({ request_id: id, properties }) => [id, properties['Reviewed'], properties['Helicone-Session-Feedback']]),
    ).toEqual(ids.map((id, index) => [id, 'yes', index === 0 ? '1' : undefined]));
    expect(view?.session).toMatchObject({ session_id: sessionId, session_name: 'a trace', total_requests: 4, session_tag: 'golden' });
    const [root] = view?.tree ?? [];
    expect(root?.children.map(({ path, totals }) => [path, totals.requests])).toEqual([
      ['/plan', 3],
      ['/answer', 1],
    ]);
    expect(root?.children[0]?.children.map(({ request_ids: own }) => own)).toEqual([ids.slice(1, 3)]);
    const { body: changes } = await api.call<readonly ChangeItem[]>('GET', `/v1/request/${ids[3]}/changes`);
    expect(changes.data.map(({ kind, name, new: after }) => [kind, name, after])).toEqual([['session_property', 'Reviewed', 'yes']]);
    const found = await api.query({ sessions_request_response_rmt: { session_tag: { equals: 'golden' } } });
    expect(found.map(({ request_id: id }) => id)).toEqual(ids.toReversed());
  });
});

const writers = 10;
const readers = 10;
const callsOfWriter = byLength(12, 30);
const shared = ['busy-0', 'busy-1', 'busy-2'];

/** Whole units of 10⁻¹² dollars. */
const units = (usd: number | null): number => Math.round((usd ?? 0) * 1e12);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, value) => total + value, 0);

function totalsOf(requests: readonly RequestItem[]): readonly number[] {
  return [
    requests.length,
    sum(requests.map(({ cost }) => units(cost))),
    sum(requests.map(({ prompt_tokens: tokens }) => tokens ?? 0)),
    sum(requests.map(({ total_tokens: tokens }) => tokens ?? 0)),
  ];
}

/** Each node covers exactly its own requests and those of its descendants. */
function expectWholeNode(node: SessionNode, requests: ReadonlyMap<string, RequestItem>): readonly RequestItem[] {
  const own = node.request_ids.flatMap((id) => requests.get(id) ?? []);
  const all = [...own, ...node.children.flatMap((child) => expectWholeNode(child, requests))];
  const { requests: count, cost, prompt_tokens: prompt, total_tokens: total } = node.totals;
  expect([count, units(cost), prompt, total]).toEqual(totalsOf(all));
  return all;
}

/** Reads sessions in turn until `isOver`. @returns the number of responses. */
async function readOn(number: number, isOver: () => boolean): Promise<number> {
  const seen = new Map<string, ReadonlySet<string>>();
  let answers = 0;
  for (let turn = number; !isOver(); turn += 1) {
    const sessionId = shared[turn % shared.length] ?? '';
    const view = await read(sessionId);
    if (view === undefined) continue;
    answers += 1;
    const { session, requests, tree } = view;
    const ids = new Set(requests.map(({ request_id: id }) => id));
    expect([session.total_requests, units(session.total_cost), session.prompt_tokens, session.total_tokens]).toEqual(totalsOf(requests));
    const byId = new Map(requests.map((item) => [item.request_id, item]));
    expect(tree.flatMap((node) => expectWholeNode(node, byId))).toHaveLength(requests.length);
    for (const id of seen.get(sessionId) ?? []) expect(ids.has(id)).toBe(true);
    seen.set(sessionId, ids);
  }
  return answers;
}

it('ten clients write to sessions while ten read them: totals are of one set of whole requests, and never shrink', async () => {
  let left = writers;
  const writing = Array.from({ length: writers }, async (_, writer) => {
    try {
      for (let call = 0; call < callsOfWriter; call += 1) {
        const place = `/writer-${writer}/step-${call % 3}`;
        await chat({ 'Svc-Session-Id': shared[(writer + call) % shared.length] ?? '', 'Svc-Session-Path': place });
        const tenth = { [`W${writer}`]: String(call) };
        if (call % 10 !== 9) continue;
        const { status } = await api.call('PUT', pathOf(shared[call % shared.length] ?? '', '/property'), tenth);
        expect(status).toBe(200);
      }
    } finally {
      left -= 1;
    }
  });
  const reading = Array.from({ length: readers }, (_, reader) => readOn(reader, () => left === 0));
  await Promise.all(writing);
  for (const answers of await Promise.all(reading)) expect(answers).toBeGreaterThan(0);
});
