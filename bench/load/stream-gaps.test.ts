import { describe, expect, it } from 'vitest';
import { stampedEvent } from './canned-responses.ts';
import { GapTotals, StreamGaps } from './stream-gaps.ts';

describe('the gaps of a stream', () => {
  const first = stampedEvent(1_000_000n);
  const second = stampedEvent(1_050_000n);

  it('are those that the provider made and those that the reader saw', () => {
    const gaps = new StreamGaps();
    gaps.begin();
    gaps.see(first, 10);
    gaps.see(second, 75);
    expect(gaps).toMatchObject({ maxSentMs: 50, maxSeenMs: 65 });
  });

  it('are the same wherever the network cuts an event', () => {
    for (let at = 1; at < first.length; at += 1) {
      const gaps = new StreamGaps();
      gaps.begin();
      gaps.see(first.subarray(0, at), 10);
      gaps.see(Buffer.concat([first.subarray(at), second.subarray(0, at)]), 20);
      gaps.see(second.subarray(at), 80);
      expect(gaps.maxSentMs, `cut at byte ${at}`).toBe(50);
    }
  });

  it('do not reach from one stream into the next', () => {
    const gaps = new StreamGaps();
    gaps.begin();
    gaps.see(first, 10);
    gaps.begin();
    gaps.see(second, 900);
    expect(gaps).toMatchObject({ maxSentMs: 0, maxSeenMs: 0 });
  });

  it('add up to the longest of all, and to what each stream waited beyond its provider', () => {
    const totals = new GapTotals();
    for (const seenAt of [60, 85]) {
      const gaps = new StreamGaps();
      gaps.begin();
      gaps.see(first, 0);
      gaps.see(second, seenAt);
      totals.add(gaps);
    }
    const summary = totals.summary();
    expect(summary).toMatchObject({ streams: 2, maxSentMs: 50, maxSeenMs: 85, excessMaximumMs: 35 });
    expect(summary.excessP50Ms).toBeCloseTo(10, 1);
  });
});
