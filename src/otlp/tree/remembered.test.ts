import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import { received, spanIdOf, type WrittenSpan } from '../testing/spans.ts';
import { LateSpans } from './late-spans.ts';
import { RecentParents } from './recent-parents.ts';
import { rememberedOf } from './remembered.ts';

const mebibyte = 1024 * 1024;
const ownerOf = (name: string) => ({ organizationId: name as OrganizationId, keyId: 'k' });

function traceOf(number: number): string {
  return number.toString(16).padStart(32, 'b');
}

function call(trace: number, attributes: Readonly<Record<string, unknown>>, id = 2): WrittenSpan {
  const model = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
  return { traceId: traceOf(trace), spanId: spanIdOf(id), parentSpanId: spanIdOf(1), attributes: { ...model, ...attributes } };
}

/** Bytes of the heap that are in use once what nobody holds is gone. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

const long = 'x'.repeat(mebibyte / 4);

describe('what is remembered of spans', () => {
  it('holds no name that is too long for a record, whichever names it', () => {
    const names = { 'session.id': long, 'user.id': long, 'gen_ai.request.model': long, 'langfuse.session.id': long };
    const { traces } = received([call(1, names)]);
    expect(JSON.stringify(traces).length).toBeLessThan(1000);
  });

  it('of models is bounded in bytes, however long their names are', () => {
    const parents = new RecentParents();
    const before = heldBytes();
    for (let trace = 1; trace <= 120; trace += 1) received([call(trace, { 'gen_ai.request.model': `${trace}${long}` })], { parents });
    expect((heldBytes() - before) / mebibyte).toBeLessThan(8);
  });

  it('of one organisation leaves what others have', () => {
    const late = new LateSpans({ maxSpans: 1000 });
    late.add(ownerOf('quiet'), received([call(1, {})]).traces, 0);
    const name = 'n'.repeat(8000);
    for (let trace = 2; trace < 400; trace += 1) late.add(ownerOf('loud'), received([call(trace, { 'session.id': name })]).traces, 1);
    late.add(ownerOf('quiet'), received([{ traceId: traceOf(1), spanId: spanIdOf(1), name: 'root' }]).traces, 2);
    expect(late.corrections(10_000).map(({ owner }) => owner.organizationId)).toEqual(['quiet']);
  });

  it('says how many requests keep their places, as more came than is remembered', () => {
    let forgotten = 0;
    const late = new LateSpans({ maxSpans: 100, onForgotten: (requests) => (forgotten += requests) });
    const [count, completed] = [500, 20];
    for (let trace = 1; trace <= count; trace += 1) late.add(ownerOf('loud'), received([call(trace, {})]).traces, 1);
    for (let trace = count - completed + 1; trace <= count; trace += 1) {
      const root = { traceId: traceOf(trace), spanId: spanIdOf(1), name: 'root' };
      late.add(ownerOf('loud'), received([root]).traces, 2);
    }
    expect(late.corrections(10_000)).toHaveLength(completed);
    expect([forgotten > count / 2, forgotten < count - completed]).toEqual([true, true]);
  });

  it('of one request is bounded, and says what it leaves out', () => {
    const name = 'n'.repeat(8000);
    const spans = Array.from({ length: 100 }, (_, index) => call(index + 1, { 'session.id': name }));
    const { traces, dropped } = rememberedOf(received(spans).traces, mebibyte);
    expect(dropped).toBeGreaterThan(60);
    expect(traces.length + dropped).toBe(100);
  });
});

it('organisations take turns when places are corrected', () => {
  const late = new LateSpans({ maxSpans: 10_000 });
  const named = { traceId: traceOf(1), spanId: spanIdOf(1), name: 'root', attributes: { 'session.id': 's' } };
  const many = Array.from({ length: 400 }, (_, index) => call(1, {}, index + 2));
  late.add(ownerOf('loud'), received(many).traces, 0);
  late.add(ownerOf('loud'), received([named]).traces, 1);
  late.add(ownerOf('quiet'), received([call(1, {})]).traces, 2);
  late.add(ownerOf('quiet'), received([named]).traces, 3);
  const corrected = late.corrections(10_000, 50).map(({ owner }) => owner.organizationId);
  expect(corrected.indexOf(ownerOf('quiet').organizationId)).toBe(25);
  let rest = 0;
  while (late.isDue(10_000)) rest += late.corrections(10_000, 50).length;
  expect(corrected.length + rest).toBe(401);
});
