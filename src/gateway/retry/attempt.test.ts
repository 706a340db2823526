import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { GatelogError } from '../../model/errors.ts';
import type { ResponseSink } from '../upstream/response-sink.ts';
import { ProviderAttempt, type RetryDecider } from './attempt.ts';
import { until } from '../testing/raw-http.ts';
import { UnpackingTime } from '../relay/unpacking-time.ts';

it.each(['start', 'finish', 'fail'] as const)(
  'a refusal that is read before it is passed on fails its own call where its sink throws at %s',
  async (where) => {
    let told: GatelogError | undefined;
    const throwAt = (place: string): void => {
      if (place === where || (place === 'start' && where === 'fail')) throw new Error('a fault of ours');
    };
    const sink: ResponseSink = {
      begin: () => undefined,
      start: () => throwAt('start'),
      data: () => undefined,
      sendHeadEarly: () => undefined,
      finish: () => throwAt('finish'),
      fail: (error) => {
        told = error;
        throwAt('fail');
      },
    };
    const judge: RetryDecider = {
      isDisconnected: () => false,
      retries: () => false,
      partRead: () => 'refusal',
      passesBuffered: () => undefined,
      sentAgain: () => undefined,
    };
    const attempt = new ProviderAttempt({
      decider: judge,
      sink,
      provider: 'openai',
      monotonic: () => 0,
      unpacking: new UnpackingTime(() => 0).of('a'),
    });
    attempt.start(400, ['content-encoding', 'gzip'], '');
    attempt.data(gzipSync('{}'));
    attempt.finish();
    await until(() => told !== undefined);
    expect(told?.code).toBe('internal');
  },
);
