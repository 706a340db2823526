import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { SeededRandom } from '../../../test/support/seeded-random.ts';
import { type ExchangeEnd, frameKinds } from '../../model/record/exchange.ts';
import type { SpoolWriter } from '../../spool/writer.ts';
import { IncomingRequest } from '../http/incoming-request.ts';
import { readBody, type RequestBody } from '../http/request-body.ts';
import { recorderOn } from '../testing/recorder-harness.ts';

/** A writer that has written everything at once. */
class KeepingWriter implements SpoolWriter {
  readonly series = 'one';
  readonly frames: { readonly kind: number; readonly bytes: Buffer }[] = [];

  newStream(): number {
    return 1;
  }
  append(_stream: number, kind: number, payload: Parameters<SpoolWriter['append']>[2]): void {
    const bytes = typeof payload === 'string' || !('text' in payload) ? Buffer.from(payload as string) : Buffer.from(payload.text);
    this.frames.push({ kind, bytes });
  }
  whenWritten(_stream: number, settled: (written: boolean) => void): void {
    settled(true);
  }
  bytes(): number {
    return 0;
  }
  async close(): Promise<void> {
    // Nothing is open.
  }
  of(kind: number): Buffer[] {
    return this.frames.flatMap((frame) => (frame.kind === kind ? [frame.bytes] : []));
  }
}

const byte = Buffer.from('x');

it('a body that comes byte by byte is few frames, and is whole in them', () => {
  const writer = new KeepingWriter();
  const recorder = recorderOn(writer, 1024 * 1024);
  recorder.begin();
  const count = 500_000;
  for (let index = 0; index < count; index += 1) recorder.requestPart(byte);
  recorder.responseHead(200, {});
  recorder.writeOut();
  for (let index = 0; index < count; index += 1) recorder.responsePart(byte);
  recorder.end('complete', 0, () => undefined);
  for (const kind of [frameKinds.requestPart, frameKinds.responsePart]) {
    expect(Buffer.concat(writer.of(kind)).toString()).toBe('x'.repeat(count));
  }
  expect(writer.frames.length).toBeLessThan(12 * Math.sqrt(2 * count));
  expect(writer.frames.at(-1)?.kind).toBe(frameKinds.end);
});

it('where each piece has to be in the spool before it goes on, frames are bounded too, and the record says that its body is cut', () => {
  const writer = new KeepingWriter();
  const recorder = recorderOn(writer, 1024 * 1024);
  recorder.begin();
  recorder.responseHead(200, {});
  recorder.writeOut();
  const told: boolean[] = [];
  for (let index = 0; index < 250_000; index += 1) {
    recorder.responsePart(byte);
    recorder.whenWritten((written) => told.push(written));
  }
  recorder.end('complete', 0, () => undefined);
  expect(told.filter(Boolean)).toHaveLength(250_000);
  expect(writer.of(frameKinds.responsePart)).toHaveLength(200_000);
  const [end] = writer.of(frameKinds.end);
  expect(JSON.parse(end?.toString() ?? '') as ExchangeEnd).toMatchObject({ responseCut: true, responseBytes: 250_000 });
});

it('a request body in pieces of any size is held in memory of about its size, whole or begun', () => {
  const seed = 20261121;
  const random = new SeededRandom(seed);
  for (const bufferMaxBytes of [10_000_000, 100_000]) {
    const request = new IncomingRequest(new Socket());
    request.rawHeaders = ['transfer-encoding', 'chunked'];
    const got: RequestBody[] = [];
    readBody(request, bufferMaxBytes, (body) => got.push(body));
    const sent: Buffer[] = [];
    for (let count = 0; count < 20_000 && got.length === 0; count += 1) {
      const piece = random.bytes(random.below(500) === 0 ? random.of([4095, 4096, 9000, 20_000]) : 1 + random.below(3));
      sent.push(piece);
      request.push(piece);
    }
    if (got.length === 0) request.push(null);
    const [body] = got;
    const pieces = body === undefined ? [] : 'buffered' in body ? [body.buffered] : body.streaming;
    expect(Buffer.concat(pieces).equals(Buffer.concat(sent)), `seed ${seed}`).toBe(true);
    expect('streaming' in (body ?? {}), `seed ${seed}`).toBe(bufferMaxBytes === 100_000);
    expect(pieces.length, `seed ${seed}`).toBeLessThan(sent.length / 50);
  }
});
