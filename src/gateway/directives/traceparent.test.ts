import { describe, expect, it } from 'vitest';
import { readRequestHead } from './request-head.ts';
import { readTraceparent } from './traceparent.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const valid = `00-${traceId}-${spanId}-01`;

describe('traceparent', () => {
  it('names the trace and the span of a call, also in a later version', () => {
    const named = { traceId, spanId };
    for (const value of [
      valid,
      `00-${traceId}-${spanId}-00`,
      ` ${valid} `,
      `01-${traceId}-${spanId}-01-more`,
      `fe-${traceId}-${spanId}-01`,
    ]) {
      expect([value, readTraceparent([value])]).toEqual([value, named]);
    }
  });

  it.each([
    '',
    'constructor',
    valid.toUpperCase(),
    `${valid}-more`,
    `${valid}0`,
    `ff-${traceId}-${spanId}-01`,
    `01-${traceId}-${spanId}-012`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.slice(1)}-${spanId}-01`,
    `00-${traceId}-${spanId}`,
    '-'.repeat(100_000),
  ])('that is not valid names nothing: %s', (value) => {
    expect(readTraceparent([value])).toBeUndefined();
  });

  it('that comes twice names nothing', () => {
    expect(readTraceparent([valid, valid])).toBeUndefined();
  });

  it('goes on to the provider as it came', () => {
    const head = readRequestHead(['Host', 'gateway', 'TraceParent', valid, 'tracestate', 'vendor=1']);
    expect([head.trace, head.passed]).toEqual([{ traceId, spanId }, ['TraceParent', valid, 'tracestate', 'vendor=1']]);
    expect(readRequestHead(['Host', 'gateway', 'traceparent', 'nonsense'])).toMatchObject({
      trace: undefined,
      passed: ['traceparent', 'nonsense'],
    });
  });
});
