import type { Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { closeUpstreams, okResponse, scene, Seen } from '../testing/upstream-harness.ts';
import { soon, until } from '../testing/raw-http.ts';

afterEach(closeUpstreams);

/** A sink that throws where it is told to, as a fault of ours would. */
class Faulty extends Seen {
  private readonly where: 'data' | 'sendHeadEarly' | 'finish' | 'fail';

  constructor(where: Faulty['where']) {
    super();
    this.where = where;
  }
  override data(chunk: Buffer): void {
    super.data(chunk);
    this.throwIn('data');
  }
  override sendHeadEarly(): void {
    this.throwIn('sendHeadEarly');
  }
  override finish(): void {
    super.finish();
    this.throwIn('finish');
  }
  override fail(error: NonNullable<Seen['error']>): void {
    super.fail(error);
    this.throwIn('fail');
  }
  private throwIn(where: Faulty['where']): void {
    if (where === this.where) throw new Error('a fault of ours');
  }
}

const half = okResponse.slice(0, -1);

it.each([
  ['a piece comes', 'data', (write: (text: string) => void) => write(half)],
  ['a turn ends', 'sendHeadEarly', (write: (text: string) => void) => write(half)],
  ['the reply is whole', 'finish', (write: (text: string) => void) => write(okResponse)],
  [
    'the rest comes with the end of a broken connection',
    'data',
    (write: (text: string) => void, end: () => void) => {
      write(half);
      end();
    },
  ],
  ['it is told of a broken connection', 'fail', (_write: (text: string) => void, end: () => void) => end()],
] as const)('a sink that throws when %s fails its own call, and others go on', async (_name, where, answer) => {
  const onRequest = (socket: Socket): void => {
    const answerOne = (): void =>
      answer(
        (text) => socket.write(text),
        () => socket.destroy(),
      );
    answerOne();
    socket.on('data', answerOne);
  };
  // The connection of a reply whose rest never comes is given up after this.
  const { send, upstream } = await scene(onRequest, { bodyTimeoutMs: 200 });
  const faulty = new Faulty(where);
  send({}, faulty);
  await until(() => faulty.error !== undefined);
  expect(faulty.error?.code).toBe('provider_unreachable');
  // What was thrown elsewhere would come by now, and fail this test.
  await soon();
  await until(() => upstream.counts().busy === 0);
  const other = send();
  await until(() => other.body !== '' || other.isOver());
});
