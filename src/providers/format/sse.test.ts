import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readServerSentEvents } from './sse.ts';
import { assert } from '../../../test/support/seeded.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const message = (data: string) => ({ event: 'message', data });

describe('readServerSentEvents', () => {
  it.each([
    { case: 'line feeds', text: 'data: a\n\ndata: b\n\n', events: [message('a'), message('b')] },
    { case: 'carriage returns with line feeds', text: 'data: a\r\n\r\ndata: b\r\n\r\n', events: [message('a'), message('b')] },
    { case: 'carriage returns', text: 'data: a\r\rdata: b\r\r', events: [message('a'), message('b')] },
    { case: 'a byte order mark', text: '\uFEFFdata: a\n\n', events: [message('a')] },
    { case: 'no space behind the colon', text: 'data:a\n\n', events: [message('a')] },
    { case: 'data over several lines', text: 'data: a\ndata: b\n\n', events: [message('a\nb')] },
    { case: 'a named event', text: 'event: error\ndata: a\n\ndata: b\n\n', events: [{ event: 'error', data: 'a' }, message('b')] },
    { case: 'comments, ids, retries, unknown fields', text: ': hi\n\nid: 1\nretry: 5\nx: y\ndata: a\n\n', events: [message('a')] },
    { case: 'an event that no empty line closes', text: 'data: a\n\ndata: b\n', events: [message('a'), message('b')] },
    { case: 'a last line without its end', text: 'data: a\n\ndata: {"b', events: [message('a'), message('{"b')] },
    { case: 'a last line cut between carriage return and line feed', text: 'data: a\r', events: [message('a')] },
    { case: 'an event without data', text: 'event: ping\n\n', events: [] },
    { case: 'nothing', text: '', events: [] },
    { case: 'something else', text: '{"error": "none"}', events: [] },
  ])('reads $case', ({ text, events }) => {
    expect(readServerSentEvents([bytes(text)])).toEqual(events);
  });

  it('joins characters that the parts split', () => {
    const parts = Array.from(bytes('data: Ünïcode 🛳\n\n'), (byte) => Uint8Array.of(byte));
    expect(readServerSentEvents(parts)).toEqual([message('Ünïcode 🛳')]);
  });

  it('replaces a character that broke off', () => {
    expect(readServerSentEvents([bytes('data: a🛳').subarray(0, 9)])).toEqual([message('a\uFFFD')]);
  });

  it('takes time in proportion to the length, also with a lone carriage return at the end', () => {
    const before = process.cpuUsage();
    expect(readServerSentEvents([bytes(`${'data: 0123456789\n\n'.repeat(200_000)}\r`)])).toHaveLength(200_000);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5_000);
  });

  it('never throws', () => {
    assert(
      fc.property(fc.array(fc.uint8Array(), { maxLength: 4 }), (parts) => {
        expect(readServerSentEvents(parts)).toBeInstanceOf(Array);
      }),
      { numRuns: 200 },
    );
  });
});
