import { afterAll, beforeAll, expect, it } from 'vitest';
import { type IngestRig, openRig, until } from '../../ingest/testing/ingest-harness.ts';
import type { Tags } from '../../model/record/exchange.ts';
import type { ReceivedTrace } from '../../otlp/tree/position.ts';
import { spanIdOf, traceId, type WrittenSpan } from '../../otlp/testing/spans.ts';
import { model, spanId, startMs, ToldScene } from '../testing/told-scene.ts';
import { PositionCorrections } from './corrections.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.system': 'openai', 'gen_ai.request.model': model };
const at = { traceId, startMs, endMs: startMs + 1000 };
const inner: WrittenSpan = { ...at, spanId, parentSpanId: spanIdOf(2), name: 'chat', attributes: chat };
/** Of the same trace, as a step before the call. */
const beside: WrittenSpan = { ...at, spanId: spanIdOf(8), parentSpanId: spanIdOf(2), name: 'step', attributes: { 'session.id': 'X' } };
const outer: WrittenSpan = { ...at, spanId: spanIdOf(2), name: 'agent', attributes: { 'gen_ai.conversation.id': 'Y' } };

/** Tells a scene's records what the ancestors of spans say. */
async function correct(scene: ToldScene, exports: readonly (readonly ReceivedTrace[])[]): Promise<void> {
  let [now, applied] = [0, 0];
  const { drain, changer } = await scene.spool.openCore();
  drain.start();
  const corrections = new PositionCorrections({
    changeRequest: async (...change) => {
      await changer.change(...change);
      applied += 1;
    },
    joined: scene.joined,
    maxSpans: 100,
    now: () => now,
    observe: () => undefined,
    intervalMs: 5,
  });
  for (const traces of exports) {
    corrections.note(scene.spool.principal, traces);
    now += 60_000;
  }
  await until(() => applied > 0);
  await corrections.close();
  await drain.stop(10_000);
}

const stated: Tags = { properties: [], sessionId: 'X', sessionPath: '/chat' };
const silent: Tags = { properties: [] };
const traceNamed: Tags = { properties: [], sessionId: traceId };

it.each([
  ['what the call stated, though a span told the same', stated, ['call', 'spans'], { session_id: 'X', session_path: '/chat' }],
  ['what the call stated, when its span came first', stated, ['spans', 'call'], { session_id: 'X', session_path: '/chat' }],
  ['nothing that its span gave', silent, ['call', 'spans'], { session_id: 'Y', session_path: '/agent/chat' }],
  ['nothing that its span gave when it came first', silent, ['spans', 'call'], { session_id: 'Y', session_path: '/agent/chat' }],
  ['no session that is only the trace', traceNamed, ['call', 'spans'], { session_id: 'Y', session_path: '/agent/chat' }],
] as const)('a call through the gateway keeps %s, when an ancestor comes late', async (_what, tags, order, expected) => {
  const scene = new ToldScene(rig);
  let traces: readonly ReceivedTrace[] = [];
  for (const step of order) {
    if (step === 'call') await scene.call({ tags });
    else traces = await scene.spans([inner, beside]);
    await scene.live();
  }
  await correct(scene, [traces, await scene.spans([outer])]);
  expect(await scene.rows()).toMatchObject([expected]);
});
