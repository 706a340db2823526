import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ExchangeAnswer, type ExchangeEnd, frameKinds } from '../model/record/exchange.ts';
import type { SpoolWriter } from '../spool/writer.ts';
import { assembleExchange } from '../ingest/interpret/assemble.ts';
import { recorderOn } from './testing/recorder-harness.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A writer whose disk has room or not, and the frames that it took. */
class RoomyWriter implements SpoolWriter {
  readonly series = 'one';
  hasFreeSpace = true;
  /** There is no room for a longer frame than this, at any time. */
  longest = Number.POSITIVE_INFINITY;
  readonly frames: { readonly kind: number; readonly text: string }[] = [];
  /** The last frame was. */
  private lost = false;

  newStream(): number {
    return 1;
  }
  append(_stream: number, kind: number, payload: Parameters<SpoolWriter['append']>[2]): void {
    const text = typeof payload === 'string' ? payload : 'text' in payload ? payload.text : Buffer.from(payload).toString();
    this.lost = !this.hasFreeSpace || text.length > this.longest;
    if (!this.lost) this.frames.push({ kind, text });
  }
  whenWritten(_stream: number, settled: (written: boolean) => void): void {
    settled(!this.lost);
  }
  bytes(): number {
    return 0;
  }
  async close(): Promise<void> {
    // Nothing is open.
  }
}

it('a last frame that the disk did not take is written when there is room, and says that parts are missing', () => {
  const writer = new RoomyWriter();
  const recorder = recorderOn(writer, 1000);
  recorder.begin();
  recorder.responseHead(200, {});
  recorder.writeOut();
  writer.hasFreeSpace = false;
  const said: boolean[] = [];
  recorder.end('complete', 0, (written) => said.push(written));
  vi.advanceTimersByTime(5000);
  expect([said, writer.frames.at(-1)?.kind]).toEqual([[false], frameKinds.responseHead]);
  writer.hasFreeSpace = true;
  vi.advanceTimersByTime(5000);
  expect(writer.frames.slice(2).map(({ kind }) => kind)).toEqual([frameKinds.end]);
  expect(JSON.parse(writer.frames.at(-1)?.text ?? '') as ExchangeEnd).toMatchObject({
    outcome: 'complete',
    status: 200,
    requestCut: true,
    responseCut: true,
  });
});

it('a whole answer that the disk did not take is made up for by its head and end', () => {
  const writer = new RoomyWriter();
  const recorder = recorderOn(writer, 1000);
  recorder.begin();
  recorder.responseHead(200, {});
  writer.hasFreeSpace = false;
  recorder.end('complete', 0, () => undefined);
  writer.hasFreeSpace = true;
  vi.advanceTimersByTime(5000);
  const last = writer.frames.at(-1);
  expect([writer.frames.length, last?.kind]).toEqual([2, frameKinds.answered]);
  expect(JSON.parse(last?.text ?? '') as ExchangeAnswer).toMatchObject({ head: { status: 200 }, end: { responseCut: true } });
});

it('an exchange whose first frame was lost too is owed nothing', () => {
  const writer = new RoomyWriter();
  writer.hasFreeSpace = false;
  const recorder = recorderOn(writer, 1000);
  recorder.begin();
  recorder.responseHead(200, {});
  recorder.end('complete', 0, () => undefined);
  writer.hasFreeSpace = true;
  vi.advanceTimersByTime(5000);
  expect(writer.frames).toEqual([]);
});

it('an exchange whose first frame is there is owed its last one, also where its request body is lost', () => {
  const writer = new RoomyWriter();
  writer.longest = 900;
  const recorder = recorderOn(writer, 1000);
  recorder.begin(Buffer.alloc(2000));
  recorder.responseHead(200, {});
  writer.hasFreeSpace = false;
  recorder.end('complete', 0, () => undefined);
  writer.hasFreeSpace = true;
  vi.advanceTimersByTime(5000);
  expect(writer.frames.map(({ kind }) => kind)).toEqual([frameKinds.open, frameKinds.end]);
  expect(JSON.parse(writer.frames.at(-1)?.text ?? '') as ExchangeEnd).toMatchObject({ status: 200, requestCut: true });
});

it('a head that the disk did not take is made up for by the status in the last frame', () => {
  const writer = new RoomyWriter();
  const recorder = recorderOn(writer, 1000);
  recorder.begin();
  writer.hasFreeSpace = false;
  recorder.responseHead(201, {});
  recorder.writeOut();
  writer.hasFreeSpace = true;
  recorder.end('complete', 0, () => undefined);
  expect(writer.frames.map(({ kind }) => kind)).toEqual([frameKinds.open, frameKinds.end]);
  const end = JSON.parse(writer.frames.at(-1)?.text ?? '') as ExchangeEnd;
  expect(end).toMatchObject({ status: 201, responseCut: true });
  const assembled = assembleExchange(writer.frames.map(({ kind, text }) => ({ frame: { kind, stamp: 0 }, payload: Buffer.from(text) })));
  expect(assembled.responseHead).toEqual({ status: 201, headers: {}, elapsedMs: end.elapsedMs });
});
