import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningService } from './measured-start.ts';

const atOnce = 50;
const pollMs = 100;
const storedTimeoutMs = 120_000;

/** Calls the gateway's echo provider `count` times, in sessions of five, and waits until all calls are stored. @returns the identifiers. */
export async function call(service: RunningService, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const first = ids.length;
    ids.push(
      ...(await Promise.all(Array.from({ length: Math.min(atOnce, count - first) }, (_, index) => callOnce(service, first + index)))),
    );
  }
  const deadlineMs = performance.now() + storedTimeoutMs;
  for (const id of ids.slice(-atOnce)) {
    while ((await ask(service, `/v1/request/${id}`)).status !== 200) {
      if (performance.now() > deadlineMs) throw new Error(`Request ${id} was not stored within ${storedTimeoutMs / 1000} s.`);
      await sleep(pollMs);
    }
  }
  return ids;
}

async function callOnce({ gatewayUrl, apiKey }: RunningService, index: number): Promise<string> {
  const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'application/json',
      'Svc-Property-Team': `team-${index % 5}`,
      'Svc-Session-Id': `session-${Math.floor(index / 5)}`,
    },
    body: JSON.stringify({ model: 'echo/words', messages: [{ role: 'user', content: `What is the answer to question ${index}?` }] }),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`A call was answered ${response.status}.`);
  return response.headers.get('svc-id') ?? '';
}

/** Queries what a dashboard shows: pages, a search in bodies, sessions and single requests. */
export async function query(service: RunningService, ids: readonly string[]): Promise<void> {
  const now = Date.now();
  const questions: readonly (readonly [path: string, body?: unknown])[] = [
    ['/v1/request/query-clickhouse', { filter: 'all', limit: 25 }],
    ['/v1/request/query-clickhouse', { filter: { request_response_rmt: { properties: { Team: { equals: 'team-1' } } } }, limit: 25 }],
    ['/v1/request/query-clickhouse', { filter: { request_response_rmt: { request_body: { contains: 'answer' } } }, limit: 25 }],
    ['/v1/session/query', { search: '', timeFilter: { startTimeUnixMs: now - 86_400_000, endTimeUnixMs: now }, filter: 'all', limit: 25 }],
    ...ids.slice(0, 10).map((id) => [`/v1/request/${id}`] as const),
  ];
  for (const [path, body] of questions) {
    const { status, text } = await ask(service, path, body);
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`);
  }
}

async function ask({ apiUrl, apiKey }: RunningService, path: string, body?: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(`${apiUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}
