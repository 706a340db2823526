import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callsOnceIn } from '../../ingest/testing/calls-once-harness.ts';
import { type IngestRig, openRig, SpoolRig, until } from '../../ingest/testing/ingest-harness.ts';
import { loggerTo } from '../../ingest/testing/logged-calls.ts';
import { waitingBounds } from '../../ingest/once/waiting-texts.ts';
import { GatelogError } from '../../model/errors.ts';
import type { Tags } from '../../model/record/exchange.ts';
import type { Principal } from '../../model/principal.ts';
import { receivedLogs, type WrittenLog } from '../../otlp/testing/logs.ts';
import { received, spanIdOf, traceId, type WrittenSpan } from '../../otlp/testing/spans.ts';
import { systemClock } from '../../platform/clock.ts';
import type { SpoolWriter } from '../../spool/writer.ts';
import type { Store } from '../../store/store.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

const spanId = spanIdOf(1);
/** As the official instrumentations send it: counts, and no text. */
const span: WrittenSpan = {
  traceId,
  spanId,
  name: 'chat gpt-5-mini',
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.system': 'openai',
    'gen_ai.request.model': 'gpt-5-mini',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 1000,
    'gen_ai.usage.output_tokens': 200,
  },
};
const system: WrittenLog = { eventName: 'gen_ai.system.message', body: { content: 'Be brief.' } };
const user: WrittenLog = { eventName: 'gen_ai.user.message', body: { content: 'Why is the sky blue?' } };
const choice: WrittenLog = {
  eventName: 'gen_ai.choice',
  body: { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'It scatters.' } },
};
const atNanosecond = (log: WrittenLog, nanosecond: number): WrittenLog => ({
  ...log,
  at: BigInt(Date.UTC(2026, 10, 1)) * 1_000_000n + BigInt(nanosecond) * 1000n,
});

const told = {
  request: {
    model: 'gpt-5-mini',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Why is the sky blue?' },
    ],
  },
  choices: [{ index: 0, message: { role: 'assistant', content: 'It scatters.' }, finish_reason: 'stop' }],
};

interface Row {
  readonly id: string;
  readonly status: number;
  readonly prompt_tokens: string | number;
  readonly cost: string;
  readonly input_preview: string;
  readonly output_preview: string;
  readonly request: string;
  readonly response: string;
}

const bodiesQuery = `SELECT id_text AS id, status, prompt_tokens, toString(cost) AS cost, input_preview, output_preview, concat(b.request_body, b.request_rest) AS request,
  concat(b.response_body, b.response_rest) AS response
  FROM requests AS r LEFT JOIN (SELECT * FROM bodies WHERE org_id = {tenant:UInt128}) AS b ON b.request_id = r.request_id
  WHERE r.org_id = {tenant:UInt128} ORDER BY r.request_id`;

class Scene {
  readonly spool: SpoolRig;
  private readonly writer: SpoolWriter;

  constructor(spool = new SpoolRig(rig)) {
    this.spool = spool;
    this.writer = spool.openWriter();
  }

  async spans(spans: readonly WrittenSpan[] = [span], principal: Principal = this.spool.principal): Promise<void> {
    await loggerTo(this.writer)(principal, received(spans).calls);
  }

  async logs(logs: readonly WrittenLog[], { defaults, keyId }: { readonly defaults?: Tags; readonly keyId?: string } = {}): Promise<void> {
    const principal = keyId === undefined ? this.spool.principal : { ...this.spool.principal, keyId };
    await loggerTo(this.writer)(principal, receivedLogs(logs, defaults).calls);
  }

  live(callsOnce = callsOnceIn(rig.store)): Promise<void> {
    return this.spool.drainAll({ callsOnce });
  }

  rows(): Promise<readonly Row[]> {
    return this.spool.read<Row>(bodiesQuery);
  }

  async texts(): Promise<readonly unknown[]> {
    return (await this.rows()).map(({ request, response }) => ({
      request: JSON.parse(request) as unknown,
      choices: (JSON.parse(response) as { readonly choices?: unknown }).choices,
    }));
  }

  history(): Promise<readonly { readonly kind: string; readonly name: string; readonly key_id: string; readonly new: string }[]> {
    return this.spool.read('SELECT kind, name, key_id, new FROM changes WHERE org_id = {tenant:UInt128} ORDER BY kind, name');
  }
}

describe('what log records tell of a span is in its request', () => {
  const steps = { span: (scene: Scene) => scene.spans(), logs: (scene: Scene) => scene.logs([system, user, choice]) };

  it.each([
    ['before it', ['logs', 'span'], false],
    ['before it, in a batch and a life of the ingest of their own', ['logs', 'span'], true],
    ['after it', ['span', 'logs'], false],
    ['after it, in a batch and a life of the ingest of their own', ['span', 'logs'], true],
  ] as const)('when they come %s', async (_when, order, isApart) => {
    const scene = new Scene();
    for (const step of order) {
      await steps[step](scene);
      if (isApart) await scene.live();
    }
    await scene.live();
    expect(await scene.texts()).toEqual([told]);
    expect(await scene.rows()).toMatchObject([
      { status: 200, cost: '0.00065', input_preview: 'Why is the sky blue?', output_preview: 'It scatters.' },
    ]);
    expect((await scene.rows()).map((row) => Number(row.prompt_tokens))).toEqual([1000]);
    const { requests, bodies } = await scene.spool.storedIds();
    expect(bodies).toEqual(requests);
    const { keyId } = scene.spool.principal;
    expect(await scene.history()).toEqual([
      { kind: 'texts', name: 'request_body', key_id: keyId, new: '2' },
      { kind: 'texts', name: 'response_body', key_id: keyId, new: '1' },
    ]);
  });

  it.each([
    ['one batch', false],
    ['batches of their own', true],
  ])('when each comes in an export of its own, in %s', async (_how, isApart) => {
    const scene = new Scene();
    const exports = [
      () => scene.logs([atNanosecond(system, 1)]),
      () => scene.logs([atNanosecond(user, 2)]),
      () => scene.spans(),
      () => scene.logs([atNanosecond(choice, 3)]),
    ];
    for (const send of exports) {
      await send();
      if (isApart) await scene.live();
    }
    await scene.live();
    expect(await scene.texts()).toEqual([told]);
  });

  it.each([
    ['the question', [system, user, choice]],
    ['the answer', [choice, system, user]],
  ])('when its request has a part of them already: %s', async (_part, logs) => {
    const scene = new Scene();
    await scene.spans();
    for (const log of logs) {
      await scene.logs([log]);
      await scene.live();
    }
    expect(await scene.texts()).toEqual([told]);
  });

  it('once, however often they are sent', async () => {
    const scene = new Scene();
    for (let time = 0; time < 3; time += 1) {
      await scene.logs([system, user, choice]);
      await scene.spans();
      await scene.live();
    }
    expect(await scene.texts()).toEqual([told]);
    expect((await scene.history()).map(({ kind }) => kind)).toEqual(['texts', 'texts']);
  });

  it('whichever key of the organisation sends them, and the history names it', async () => {
    const scene = new Scene();
    await scene.spans();
    await scene.logs([user], { keyId: 'another-key' });
    await scene.live();
    expect(await scene.history()).toEqual([{ kind: 'texts', name: 'request_body', key_id: 'another-key', new: '1' }]);
  });

  it('beside instructions that the span tells itself', async () => {
    const scene = new Scene();
    await scene.spans([{ ...span, attributes: { ...span.attributes, 'gen_ai.system_instructions': 'Be brief.' } }]);
    await scene.logs([system, user, choice]);
    await scene.live();
    expect(await scene.texts()).toEqual([told]);
  });

  it('and not where the span tells its own', async () => {
    const scene = new Scene();
    const messages = [{ role: 'user', parts: [{ type: 'text', content: 'Mine?' }] }];
    await scene.spans([{ ...span, attributes: { ...span.attributes, 'gen_ai.input.messages': JSON.stringify(messages) } }]);
    await scene.logs([user, choice]);
    await scene.live();
    expect(await scene.texts()).toEqual([
      { request: { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Mine?' }] }, choices: told.choices },
    ]);
  });
});

type Write = (store: Store, dying: <Result>(write: () => Promise<Result>) => Promise<Result>) => Partial<Store>;
const writes: Readonly<Record<string, Write>> = {
  'the history is written': ({ insert }, dying) => ({
    insert: (table, rows, token) => (token.endsWith('-history') ? dying(() => insert(table, rows, token)) : insert(table, rows, token)),
  }),
  'the bodies are replaced': ({ spanTexts }, dying) => ({
    spanTexts: { ...spanTexts, replaceBodies: (...args) => dying(() => spanTexts.replaceBodies(...args)) },
  }),
  'new bodies stand beside the old ones': ({ spanTexts }, dying) => ({
    spanTexts: {
      ...spanTexts,
      replaceBodies: (owner, replaced, signal) => dying(() => spanTexts.replaceBodies(owner, { ...replaced, stale: [] }, signal)),
    },
  }),
  'the record is marked': ({ changeStored }, dying) => ({ changeStored: (...args) => dying(() => changeStored(...args)) }),
  'what waited is removed': ({ spanTexts }, dying) => ({
    spanTexts: { ...spanTexts, remove: (...args) => dying(() => spanTexts.remove(...args)) },
  }),
};

describe('a death of the ingest loses nothing and doubles nothing', () => {
  it.each(
    Object.keys(writes).flatMap((where) => [false, true].map((isWritten) => [isWritten ? 'after' : 'before', where, isWritten] as const)),
  )('%s %s', async (_when, where, isWritten) => {
    const scene = new Scene();
    await scene.spans();
    await scene.live();
    await scene.logs([system, user, choice]);
    const { mark } = rig.store.copy.rewritten;
    let isAway = false;
    const dying = async <Result>(write: () => Promise<Result>): Promise<Result> => {
      if (isWritten && !isAway) await write();
      isAway = true;
      throw new GatelogError('store_unavailable', 'away');
    };
    const store = { ...rig.store, ...writes[where]?.(rig.store, dying) };
    const drain = await scene.spool.openDrain({ callsOnce: callsOnceIn(store) });
    drain.start();
    await until(() => isAway);
    await drain.stop(0);
    await scene.live();
    expect(await scene.texts()).toEqual([told]);
    // The key of the row says nothing of it, so a copy of the store asks.
    expect(rig.store.copy.rewritten.since(mark)).not.toEqual([]);
    expect((await scene.history()).map(({ kind, name }) => `${kind} ${name}`)).toEqual(['texts request_body', 'texts response_body']);
  });
});

describe('log records change nothing else', () => {
  it('of a call that the gateway has recorded, whose span they name', async () => {
    const scene = new Scene();
    const writer = scene.spool.openWriter();
    await scene.spool.write(writer, { open: { openedAt: Date.UTC(2026, 10, 1), trace: { traceId, spanId } } });
    const before = await (await scene.live(), scene.rows());
    await scene.logs([user, choice]);
    await scene.spans();
    await scene.live();
    await scene.logs([atNanosecond(user, 5)]);
    await scene.live();
    expect(await scene.rows()).toEqual(before);
    expect((await scene.history()).filter(({ kind }) => kind !== 'property')).toEqual([]);
  });

  it('of another organisation, nor of another span of the trace', async () => {
    const [mine, foreign] = [new Scene(), new Scene()];
    await mine.spans();
    await mine.live();
    const before = await mine.rows();
    await foreign.logs([user, choice]);
    await foreign.live();
    await mine.logs([{ ...user, spanId: spanIdOf(9) }]);
    await mine.logs([{ ...user, traceId: 'f'.repeat(32) }]);
    await mine.live();
    expect(await mine.rows()).toEqual(before);
    expect(await foreign.rows()).toEqual([]);
  });

  it('where their sender, or that of the span, leaves the body out', async () => {
    const [ofLogs, ofSpan] = [new Scene(), new Scene()];
    await ofLogs.spans();
    await ofLogs.logs([user, choice], { defaults: { properties: [], requestBody: 'never' } });
    await ofLogs.live();
    expect(await ofLogs.texts()).toEqual([{ request: { model: 'gpt-5-mini', messages: [] }, choices: told.choices }]);
    const calls = received([span], { defaults: { properties: [], requestBody: 'never', responseBody: 'never' } }).calls;
    await loggerTo(ofSpan.spool.openWriter())(ofSpan.spool.principal, calls);
    await ofSpan.logs([user, choice]);
    await ofSpan.live();
    expect((await ofSpan.rows()).map(({ request, response }) => [request, response])).toEqual([['', '']]);
  });

  it('and pass the rules of redaction', async () => {
    const scene = new Scene();
    const rule = { kind: 'email', pattern: null, replacement: '[email]', appliesTo: ['request', 'response'] } as const;
    await scene.spans();
    await scene.logs([{ ...user, body: { content: 'I am ann@example.com' } }, choice]);
    await scene.spool.drainAll({ redactionRules: { of: async () => [rule] }, callsOnce: callsOnceIn(rig.store) });
    const waits = await scene.spool.read<{ readonly all: string }>(
      'SELECT concat(old, new) AS all FROM changes WHERE org_id = {tenant:UInt128}',
    );
    expect(JSON.stringify([await scene.texts(), waits])).not.toContain('ann@');
    expect(JSON.stringify(await scene.texts())).toContain('I am [email]');
  });
});

it('texts without a request wait for an hour, within the bytes of their organisation', async () => {
  const scene = new Scene();
  const observed: string[] = [];
  let now = systemClock.now();
  const clock = { ...systemClock, now: () => now };
  const once = callsOnceIn(rig.store, { clock, observe: ({ kind }) => observed.push(kind) });
  await scene.logs([user]);
  await scene.live(once);
  expect((await scene.history()).map(({ kind }) => kind)).toEqual(['waiting_texts']);
  now += waitingBounds.maxMs;
  const another = new Scene();
  await another.spans();
  await another.live(once);
  expect([await scene.history(), observed]).toEqual([[], ['span_texts_dropped']]);
});
