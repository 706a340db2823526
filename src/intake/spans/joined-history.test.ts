import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IngestRig, openRig } from '../../ingest/testing/ingest-harness.ts';
import { spanIdOf, type WrittenSpan } from '../../otlp/testing/spans.ts';
import { model, modelSpan, startMs, ToldScene } from '../testing/told-scene.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.system': 'openai', 'gen_ai.request.model': model };
const counts = (input: number): Readonly<Record<string, unknown>> => ({
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': 200,
});
const said = { 'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }]) };

const inner = modelSpan({ parentSpanId: spanIdOf(2), attributes: { ...chat, ...counts(900) } });
const around = modelSpan({ spanId: spanIdOf(2), scope: 'other', startMs: startMs - 5, endMs: startMs + 1005, attributes: chat });

/** The second comes once the first is stored. */
async function toldApart(spans: readonly WrittenSpan[]): Promise<ToldScene> {
  const scene = new ToldScene(rig);
  for (const [index, span] of spans.entries()) {
    await scene.spans([span], `key-${index + 1}`);
    await scene.live();
  }
  return scene;
}

async function historyOf(scene: ToldScene): Promise<unknown> {
  const rows = await scene.spool.read<Readonly<Record<'kind' | 'name' | 'old' | 'new' | 'key_id', string>>>(
    `SELECT kind, name, old, new, key_id FROM changes WHERE org_id = {tenant:UInt128} AND kind IN ('fields', 'usage', 'cost')
     AND request_id IN (SELECT request_id FROM requests WHERE org_id = {tenant:UInt128}) ORDER BY kind, name`,
  );
  return rows.map(({ kind, name, old, new: after, key_id: key }) => [
    kind,
    name,
    JSON.parse(old) as unknown,
    JSON.parse(after) as unknown,
    key,
  ]);
}

describe('the history of a request that a second span completes', () => {
  it('has what that filled, under the key that sent it', async () => {
    const more = {
      'user.id': 'ann',
      'gen_ai.prompt.name': 'greeting',
      'gen_ai.response.time_to_first_chunk': 0.25,
      'http.response.status_code': 429,
    };
    const scene = await toldApart([inner, { ...around, attributes: { ...chat, ...more } }]);
    expect(await scene.rows()).toMatchObject([{ status: 429, user_id: 'ann', prompt_tokens: 900 }]);
    expect(await historyOf(scene)).toEqual([
      ['fields', 'prompt_id', null, 'greeting', 'key-2'],
      ['fields', 'status', 200, 429, 'key-2'],
      ['fields', 'time_to_first_token', null, 250, 'key-2'],
      ['fields', 'user_id', null, 'ann', 'key-2'],
    ]);
  });

  it('has the counts and the cost that take the place of others', async () => {
    const scene = await toldApart([
      { ...around, attributes: { ...chat, ...counts(1000), ...said } },
      { ...inner, attributes: { ...chat, ...counts(900) } },
    ]);
    expect(await scene.rows()).toMatchObject([{ prompt_tokens: 900 }]);
    expect(await historyOf(scene)).toEqual([
      ['cost', 'cost', 0.0045, 0.00425, 'key-2'],
      ['usage', 'prompt_tokens', 1000, 900, 'key-2'],
    ]);
  });

  it('has nothing where that tells nothing more', async () => {
    const scene = await toldApart([inner, around]);
    expect(await scene.rows()).toHaveLength(1);
    expect(await historyOf(scene)).toEqual([]);
  });
});

function failed(span: WrittenSpan, status: number): WrittenSpan {
  return { ...span, attributes: { ...span.attributes, 'http.response.status_code': status } };
}

async function statuses(first: number, second: number): Promise<unknown> {
  const scene = await toldApart([failed(inner, first), failed(around, second)]);
  return (await scene.rows()).map(({ status }) => status);
}

it('a status of a failure that a span told stays, and one that says no more than that it failed gives way', async () => {
  expect([await statuses(429, 400), await statuses(500, 429), await statuses(429, 500)]).toEqual([[429], [429], [429]]);
});
