import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, expect, it } from 'vitest';
import { GatelogError } from '../../model/errors.ts';
import { Meter } from '../../platform/metrics/meter.ts';
import type { WriteCallback } from '../../spool/write-batch.ts';
import type { SpoolWriter } from '../../spool/writer.ts';
import { IncomingRequest } from '../http/incoming-request.ts';
import { gatewayFamilies, GatewayMeter } from '../observation/metrics.ts';
import { recorderOn } from '../testing/recorder-harness.ts';
import { Relay } from './relay.ts';
import { UnpackingTime } from './unpacking-time.ts';

/** What the relay did with the provider, in turn. */
let provider: string[];
let waiting: WriteCallback[];
let response: ServerResponse;
let relay: Relay;
let outlives: boolean;

beforeEach(() => {
  provider = [];
  waiting = [];
  outlives = false;
  const writer: SpoolWriter = {
    series: 'one',
    newStream: () => 1,
    append: () => undefined,
    whenWritten: (_stream, settled) => void waiting.push(settled),
    bytes: () => 0,
    close: () => Promise.resolve(),
  };
  const recorder = recorderOn(writer, 8 * 1024 * 1024);
  response = new ServerResponse(new IncomingRequest(new Socket()));
  // A client that takes nothing until it drains.
  response.write = () => false;
  const meter = new GatewayMeter(new Meter(gatewayFamilies));
  relay = new Relay({
    response,
    recorder,
    meter,
    method: 'POST',
    responseHeaders: [],
    hidesUsage: false,
    clientStallMs: 60_000,
    provider: 'openai',
    target: undefined,
    publicUrl: undefined,
    unpacking: new UnpackingTime(() => 0).of('a'),
  });
  recorder.begin();
  write();
  relay.begin({
    pause: () => provider.push('pause'),
    resume: () => provider.push('resume'),
    abort: () => provider.push('abort'),
    survivesDisconnect: () => outlives,
  });
  relay.start(200, ['content-type', 'text/plain'], '');
});

function write(): void {
  for (const settled of waiting.splice(0)) settled(true);
}

const chunk = Buffer.alloc(64 * 1024);
/** More than may wait for the spool. */
const large = Buffer.alloc(2 * 1024 * 1024);

it('a client that takes nothing pauses its provider once, until it has taken all', () => {
  relay.data(chunk);
  relay.data(chunk);
  expect(provider).toEqual(['pause']);
  response.emit('drain');
  expect(provider).toEqual(['pause', 'resume']);
});

it('a provider that waits for its client and for the spool goes on when both do', () => {
  relay.data(large);
  expect(provider).toEqual(['pause']);
  write();
  expect(provider).toEqual(['pause']);
  response.emit('drain');
  expect(provider).toEqual(['pause', 'resume']);
});

it('a client that leaves while its provider waits for it keeps a call that goes on waiting no longer', () => {
  relay.data(chunk);
  outlives = true;
  relay.onClientDisconnect();
  expect(provider).toEqual(['pause', 'resume']);
  response.emit('drain');
  relay.data(chunk);
  expect(provider).toEqual(['pause', 'resume']);
});

it.each([
  ['whole', (): void => relay.finish()],
  ['broken off', (): void => relay.fail(new GatelogError('provider_unreachable', 'It broke off.'))],
])('the connection of a response that is %s is neither paused nor resumed any more', (_name, end) => {
  relay.data(chunk);
  end();
  response.emit('drain');
  relay.data(large);
  expect(provider).toEqual(['pause']);
});

it('a client that leaves aborts a call that nobody else waits for, once', () => {
  relay.onClientDisconnect();
  relay.onClientDisconnect();
  expect(provider).toEqual(['abort']);
});
