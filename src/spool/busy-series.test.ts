import { expect, it } from 'vitest';
import { busySeriesName, SpoolByLoad } from './busy-series.ts';
import type { PositionedWriter } from './writer.ts';

const MiB = 1024 * 1024;

function spoolAt(clock: { now: number }) {
  let streams = 0;
  const written: string[] = [];
  const writer = (series: string): PositionedWriter => ({
    series,
    newStream: () => (streams += 1),
    append: () => void written.push(series),
    whenWritten: (_stream, callback) => callback(true),
    position: () => ({ segment: 1, offset: written.length }),
    bytes: () => 0,
    close: async () => undefined,
  });
  const spool = new SpoolByLoad({ prompt: writer('1-1'), busy: writer(busySeriesName('1-1')), monotonic: () => clock.now });
  return { spool, written };
}

it('an organisation that has just written much writes into the busy series, and others do not', () => {
  const { spool } = spoolAt({ now: 0 });
  const first = spool.of('greedy');
  first.append(1, 1, Buffer.alloc(5 * MiB));
  expect([spool.of('greedy').series, spool.of('modest').series]).toEqual(['busy-1-1', '1-1']);
});

it('very many small exchanges are much too', () => {
  const { spool } = spoolAt({ now: 0 });
  const series = Array.from({ length: 2000 }, () => spool.of('greedy').series);
  expect(series.indexOf('busy-1-1')).toBe(1024);
});

it('an exchange stays in its series, and counts while it goes on', () => {
  const { spool, written } = spoolAt({ now: 0 });
  const stream = spool.of('greedy');
  for (let part = 0; part < 9; part += 1) stream.append(1, 1, { text: 'a'.repeat(MiB), bytes: new Uint8Array() });
  expect(new Set(written)).toEqual(new Set(['1-1']));
  expect(spool.of('greedy').series).toBe('busy-1-1');
});

it('an organisation is back among the others once it writes little again', () => {
  const clock = { now: 0 };
  const { spool } = spoolAt(clock);
  spool.of('greedy').append(1, 1, Buffer.alloc(6 * MiB));
  clock.now = 1000;
  expect(spool.of('greedy').series).toBe('busy-1-1');
  clock.now = 3000;
  expect(spool.of('greedy').series).toBe('1-1');
});

it('organisations that write nothing are forgotten', () => {
  const clock = { now: 0 };
  const { spool } = spoolAt(clock);
  spool.of('greedy').append(1, 1, Buffer.alloc(64 * MiB));
  for (let number = 0; number < 5000; number += 1) {
    clock.now += 10;
    spool.of(`organization-${number}`);
  }
  expect(spool.remembered).toBeLessThan(1200);
  expect(spool.of('greedy').series).toBe('busy-1-1');
});
