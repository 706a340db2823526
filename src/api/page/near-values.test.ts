import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RequestId } from '../../model/ids.ts';
import { KnownNames } from '../../query/hints/known-names.ts';
import { type ApiRig, openApiRig, queryPath } from '../testing/api-harness.ts';
import type { ApiPorts } from '../endpoint/ports.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
  await rig.insert([
    {
      requestId: v7() as RequestId,
      userId: 'user-42',
      sessionId: 'checkout-7',
      model: 'gpt-4o',
      provider: 'OPENAI',
      properties: new Map([['Team', 'search']]),
    },
    { requestId: v7() as RequestId, provider: 'GOOGLE' },
  ]);
});
afterAll(async () => rig.close());

const hintOf = async (path: string, filter: unknown): Promise<string | null> =>
  (await rig.call('POST', path, { body: { filter } })).headers.get('svc-hint');

test.each<readonly [unknown, string]>([
  [{ properties: { Teem: { equals: 'search' } } }, 'a property "Teem"; there is one named "Team"'],
  [{ properties: { Team: { equals: 'serch' } } }, 'the property "Team" "serch"; there is "search"'],
  [{ properties: { Team: { equals: 'SEARCH' } } }, 'the property "Team" "SEARCH"; there is "search"'],
  [{ user_id: { equals: 'user42' } }, 'the user_id "user42"; there is "user-42"'],
  [{ model: { equals: 'gpt4o' } }, 'the model "gpt4o"; there is "gpt-4o"'],
  [{ provider: { equals: 'openia' } }, 'the provider "openia"; there is "OPENAI"'],
  [{ provider: { equals: 'gemini' } }, 'the provider "gemini"; there is "GOOGLE"'],
  [{ provider: { equals: 'Google-AI-Studio' } }, 'the provider "Google-AI-Studio"; there is "GOOGLE"'],
])('an empty page names the stored value that is nearly the one asked for: %j', async (leaf, hint) => {
  expect(await hintOf(queryPath, { request_response_rmt: leaf })).toContain(hint);
});

const leaf = (name: string): unknown => ({ request_response_rmt: { properties: { [name]: { equals: 'x' } } } });

test('of very many near names of properties no more than a hundred are looked at, those in another case first', async () => {
  const names = Array.from({ length: 256 }, (_, at) => `Column-${at.toString(16).padStart(2, '0')}`);
  const records = Array.from({ length: 5 }, (_, part) => names.slice(part * 60, (part + 1) * 60));
  await rig.insert(records.map((some) => ({ requestId: v7() as RequestId, properties: new Map(some.map((name) => [name, 'x'])) })));
  await rig.insert([{ requestId: v7() as RequestId, properties: new Map([['Zone', 'x']]) }]);
  const counts: number[] = [];
  const run: ApiPorts['run'] = async <Row>(...asked: Parameters<ApiPorts['run']>): Promise<readonly Row[]> => {
    const rows = await rig.run<Row>(...asked);
    counts.push(rows.length);
    return rows;
  };
  const filter = { left: leaf('zone'), operator: 'and', right: leaf('Column-xx') };
  const answer = await rig.call('POST', queryPath, { body: { filter }, api: rig.withPorts({ run, knownNames: new KnownNames() }) });
  expect(answer.headers.get('svc-hint')).toContain('a property "zone"; there is one named "Zone"');
  expect(Math.max(...counts)).toBe(100);
});

test('an empty page of sessions does so too', async () => {
  const filter = { sessions_request_response_rmt: { session_session_id: { equals: 'checkout7' } } };
  expect(await hintOf('/v1/session/query', filter)).toContain('the session_session_id "checkout7"; there is "checkout-7"');
});

test.each<readonly [string, unknown]>([
  [
    'is stored as it was asked for',
    {
      left: { request_response_rmt: { user_id: { equals: 'user-42' } } },
      operator: 'and',
      right: { request_response_rmt: { status: { equals: 299 } } },
    },
  ],
  [
    'is stored so but for its case, which does not matter of a provider',
    {
      left: { request_response_rmt: { provider: { equals: 'openai' } } },
      operator: 'and',
      right: { request_response_rmt: { status: { equals: 299 } } },
    },
  ],
  ['differs in more than two letters', { request_response_rmt: { user_id: { equals: 'user-4711' } } }],
  ['is short, so that every other one is near', { request_response_rmt: { properties: { Team: { equals: 's' } } } }],
])('nothing is said of a value that %s', async (_, filter) => {
  expect(await hintOf(queryPath, filter)).toBeNull();
});
