import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import type { GatelogError } from '../../model/errors.ts';
import { rateKinds } from '../../model/vocabulary/prices.ts';
import { readJson } from './read-json.ts';

/** What a body is read as, or why it is not. */
async function read(text: string): Promise<unknown> {
  let result: unknown;
  const app = new Hono();
  app.post('/', async (context) => {
    result = await readJson(context);
    return context.body(null);
  });
  app.onError((error, context) => {
    const { code, message } = error as GatelogError;
    result = [code, message];
    return context.body(null);
  });
  await app.request('/', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: text });
  return result;
}

const tooMany = ['malformed_json', 'The body has too many values; send them in several requests.'];

test.each([
  ['names', `{${Array.from({ length: 100_000 }, (_, index) => `"a${index}":1,`).join('')}"filter":"all"}`],
  ['numbers', `{"filter":[${'1,'.repeat(300_000)}1]}`],
  ['objects', `{"filter":[${'{},'.repeat(60_000)}1]}`],
  ['names in a body that is no JSON', `{${'"a":1,'.repeat(100_000)}`],
])('a body of very many %s is refused before it is parsed, which would keep all others waiting', async (_what, text) => {
  expect(await read(text)).toEqual(tooMany);
});

describe('a body as large as any endpoint takes is read:', () => {
  const leaf = { request_response_rmt: { properties: { Team: { equals: 'x' } } } };
  const balanced = (leaves: number): unknown =>
    leaves === 1 ? leaf : { left: balanced(Math.floor(leaves / 2)), operator: 'or', right: balanced(Math.ceil(leaves / 2)) };
  const rates = Object.fromEntries(rateKinds.map((kind) => [kind, 1.5]));
  test.each([
    ['a filter of 2,000 nodes', { filter: balanced(1000) }],
    ['500 prices of every kind', Array.from({ length: 500 }, (_, index) => ({ ...rates, model: `m${index}`, valid_from: '2026-01-31' }))],
    ['1,000 identifiers', { requestIds: Array.from({ length: 1000 }, () => '0197b000-0000-7000-8000-00000000dee9') }],
    ['a text of 8 MiB', { filter: { request_response_rmt: { request_body: { contains: '{,:'.repeat(2_700_000) } } } }],
  ])('%s', async (_what, body) => {
    expect(await read(JSON.stringify(body))).toEqual(body);
  });
});
