import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IngestRig, openRig } from '../../ingest/testing/ingest-harness.ts';
import type { RequestId } from '../../model/ids.ts';
import { spanIdOf } from '../../otlp/testing/spans.ts';
import { model, outside, modelSpan, spanId, startMs, ToldScene, transport } from '../testing/told-scene.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

class Scene extends ToldScene {
  constructor() {
    super(rig);
  }
}

describe('a call that is told twice', () => {
  // 1000 × 2.5 $ + 200 × 10 $ for a million.
  const once = { requests: 1, cost: '0.004500', tokens: 1200 };

  it.each([
    ['first by the gateway', ['call', 'span']],
    ['first by its span', ['span', 'call']],
  ] as const)('%s, is counted once on /metrics', async (_who, order) => {
    const scene = new Scene();
    for (const step of order) {
      await (step === 'call' ? scene.call() : scene.spans([modelSpan()]));
      await scene.live();
    }
    expect(await scene.rows()).toHaveLength(1);
    expect(scene.counted()).toEqual(once);
  });

  it.each([
    ['before', true],
    ['after', false],
  ])('by two spans, is counted once, when the one with the better counts comes %s', async (_when, isFirst) => {
    const scene = new Scene();
    const better = modelSpan({
      attributes: { ...modelSpan().attributes, 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.output_tokens': 200 },
    });
    const { 'gen_ai.usage.input_tokens': _input, 'gen_ai.usage.output_tokens': _output, ...without } = modelSpan().attributes ?? {};
    const around = modelSpan({ spanId: spanIdOf(2), scope: 'other', startMs: startMs - 5, endMs: startMs + 1005, attributes: without });
    const inner = { ...better, parentSpanId: spanIdOf(2) };
    for (const span of isFirst ? [inner, around] : [around, inner]) {
      await scene.spans([span]);
      await scene.live();
    }
    expect(await scene.rows()).toHaveLength(1);
    expect(scene.counted().requests).toBe(1);
    expect(scene.counted()).toEqual(once);
  });

  it('has a history that names the key which sent its span', async () => {
    const scene = new Scene();
    await scene.call();
    await scene.live();
    await scene.spans([modelSpan()], 'key-of-the-service');
    await scene.live();
    const history = await scene.spool.read<{ readonly name: string; readonly key_id: string }>(
      'SELECT name, key_id FROM changes WHERE org_id = {tenant:UInt128} ORDER BY name',
    );
    expect(history).toContainEqual({ name: 'Svc-Session-Id', key_id: 'key-of-the-service' });
    expect(new Set(history.map(({ key_id: key }) => key))).toEqual(new Set(['key-of-the-service']));
  });
});

it("of another provider than the client's that made its span is known by its response, without `traceparent`", async () => {
  const responseId = 'chatcmpl-3f1d9a77';
  const attributes = { ...modelSpan().attributes, 'server.address': '127.0.0.1', 'gen_ai.response.id': responseId };
  const span = modelSpan({ traceId: '1'.repeat(32), attributes });
  const groq = { provider: 'groq', path: '/groq/openai/v1/chat/completions', trace: undefined };
  for (const isSpanFirst of [false, true]) {
    const scene = new Scene();
    const steps = [() => scene.call(groq, responseId), () => scene.spans([span])];
    for (const step of isSpanFirst ? steps.toReversed() : steps) {
      await step();
      await scene.live();
    }
    expect(await scene.rows()).toMatchObject([{ session_id: 'theirs', prompt_tokens: 1000 }]);
  }
});

describe('a call that two spans tell of', () => {
  const said = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.system': 'openai',
    'gen_ai.request.model': model,
    'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }]),
  };
  const inner = modelSpan({ parentSpanId: spanIdOf(2), status: { code: 2, message: '429 Too many' } });
  const around = modelSpan({ spanId: spanIdOf(2), scope: 'other', startMs: startMs - 5, endMs: startMs + 1005, attributes: said });

  it.each([
    ['the inner one first', [inner, around]],
    ['the inner one last', [around, inner]],
  ])('has what each of them tells, in one batch and in two: %s', async (_which, spans) => {
    for (const isApart of [false, true]) {
      const scene = new Scene();
      for (const span of spans) {
        await scene.spans([span]);
        if (isApart) await scene.live();
      }
      await scene.live();
      expect(await scene.rows()).toMatchObject([{ status: 429, user_id: 'theirs', session_id: 'theirs', prompt_tokens: 900 }]);
    }
  });

  it.each(['another span', 'the gateway'])('keeps what people said of it before %s told of it', async (who) => {
    const scene = new Scene();
    await scene.spans([inner]);
    await scene.live();
    const requestId = (await scene.rows())[0]?.['id'] as RequestId;
    const { organizationId } = scene.spool.principal;
    const changes = [
      { kind: 'score', values: new Map([['helpful', 0.5]]) },
      { kind: 'feedback', rating: true },
      { kind: 'property', values: new Map([['Ticket', '7']]) },
    ] as const;
    for (const [index, change] of changes.entries()) {
      const accepted = { organizationId, requestId, change, keyId: 'a person', acceptedAt: startMs + 5000, number: startMs * 1000 + index };
      expect(await rig.store.changeStored({ accepted, createdAt: startMs })).toBe(true);
    }
    await (who === 'the gateway' ? scene.call() : scene.spans([around]));
    await scene.live();
    const rows = await scene.spool.read<Readonly<Record<string, unknown>>>(
      `SELECT id_text AS id, scores, feedback_rating, toString(feedback_number) AS number, properties['Ticket'] AS ticket
       FROM requests WHERE org_id = {tenant:UInt128}`,
    );
    const number = String(startMs * 1000 + 1);
    expect(rows).toMatchObject([{ scores: { helpful: 0.5, 'svc-score-feedback': 1 }, feedback_rating: true, number, ticket: '7' }]);
    expect(rows[0]?.['id']).not.toBe(requestId);
    const history = await scene.spool.read<{ readonly name: string }>(
      `SELECT name FROM changes WHERE org_id = {tenant:UInt128} AND key_id = 'a person' AND request_id IN
       (SELECT request_id FROM requests WHERE org_id = {tenant:UInt128}) ORDER BY number`,
    );
    expect(history.map(({ name }) => name)).toEqual(['helpful', 'svc-score-feedback', 'Ticket']);
  });
});

describe('a call that names the span of its transport is one request with the span around that', () => {
  const steps = {
    begins: async (scene: Scene) => void (await scene.begin()),
    ends: (scene: Scene) => scene.end(),
    call: async (scene: Scene) => void (await scene.call()),
    transport: async (scene: Scene) => void (await scene.spans([transport()])),
    model: async (scene: Scene) => void (await scene.spans([outside()])),
  };

  it.each([
    ['call', 'transport', 'model'],
    ['call', 'model', 'transport'],
    ['begins', 'transport', 'ends', 'model'],
    ['begins', 'transport', 'model', 'ends'],
    ['begins', 'model', 'transport', 'ends'],
    ['model', 'call', 'transport'],
    ['model', 'begins', 'transport', 'ends'],
  ] as const)('each export for itself: %s, %s, %s', async (...order) => {
    const rows: unknown[] = [];
    // In batches and lives of their own, and in one.
    for (const isApart of [true, false]) {
      const scene = new Scene();
      for (const step of order) {
        await steps[step](scene);
        if (isApart) await scene.live();
      }
      await scene.live();
      rows.push(await scene.rows());
    }
    const one = [{ status: 200, session_id: 'theirs', prompt_tokens: 1000 }];
    expect(rows).toMatchObject([one, one]);
  });

  it('whichever key of the organisation tells of it, however often', async () => {
    const scene = new Scene();
    await scene.begin();
    for (let time = 0; time < 8; time += 1) await scene.spans([transport({ parentSpanId: spanIdOf(20 + time) }), transport()], 'another');
    await scene.spans([transport()], 'another');
    await scene.live();
    expect(await scene.spool.openPendingChanges().then((pending) => pending.latestNumber())).toBeGreaterThan(0);
    await scene.end();
    await scene.live();
    expect(await scene.rows()).toMatchObject([
      { span_links: ['^0000000000000014', '^0000000000000002', '^0000000000000015', '^0000000000000016'] },
    ]);
  });

  it('and not where the other organisation tells of the same trace', async () => {
    const [mine, foreign] = [new Scene(), new Scene()];
    await mine.begin();
    await foreign.spans([transport()]);
    await foreign.live();
    await mine.end();
    await mine.live();
    const before = await mine.rows();
    await foreign.spans([transport()]);
    await foreign.spans([outside()]);
    await foreign.live();
    expect(await mine.rows()).toEqual(before);
    expect(before).toMatchObject([{ span_links: [] }]);
  });

  it('and not where it concerns no call: then nothing of it is kept, and the store is not asked', async () => {
    const scene = new Scene();
    let asked = 0;
    const findTold: typeof rig.store.findTold = (...args) => {
      asked += 1;
      return rig.store.findTold(...args);
    };
    await scene.spans([transport(), transport({ spanId: spanIdOf(40), parentSpanId: spanIdOf(41) })]);
    await scene.live({ ...rig.store, findTold });
    expect([await scene.rows(), asked]).toEqual([[], 0]);
    expect(await scene.spool.read('SELECT name FROM changes WHERE org_id = {tenant:UInt128}')).toEqual([]);
  });

  it('with each of two calls that were tried within one span', async () => {
    const scene = new Scene();
    await scene.begin();
    await scene.end();
    await scene.begin(spanIdOf(3));
    await scene.end();
    for (const id of [spanId, spanIdOf(3)]) await scene.spans([transport({ spanId: id })]);
    await scene.live();
    await scene.spans([outside()]);
    await scene.live();
    expect(await scene.rows()).toMatchObject([{ session_id: 'theirs' }, { session_id: 'theirs' }]);
  });
});

describe('what was recorded stays as it is', () => {
  it.each([['a call'], ['a span']] as const)('%s, when another organisation tells of the same trace and span', async (what) => {
    const [mine, foreign] = [new Scene(), new Scene()];
    await (what === 'a call' ? mine.call() : mine.spans([modelSpan()]));
    await mine.live();
    const before = await mine.rows();
    await foreign.spans([
      modelSpan({ attributes: { ...modelSpan().attributes, 'session.id': 'foreign', 'gen_ai.prompt.name': 'foreign' } }),
    ]);
    await foreign.live();
    await foreign.call();
    await foreign.live();
    expect(await mine.rows()).toEqual(before);
    expect(await mine.spool.read('SELECT name FROM changes WHERE org_id = {tenant:UInt128}')).toEqual([]);
    expect(await foreign.rows()).toHaveLength(1);
  });

  it('when a span names its trace and no span of it', async () => {
    const scene = new Scene();
    await scene.call();
    await scene.live();
    const before = await scene.rows();
    await scene.spans([modelSpan({ spanId: spanIdOf(7) }), modelSpan({ spanId: spanIdOf(8), parentSpanId: spanIdOf(9) })]);
    await scene.live();
    const [ours] = before;
    expect((await scene.rows()).filter(({ id }) => id === ours?.['id'])).toEqual(before);
  });
});
