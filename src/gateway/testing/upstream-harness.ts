import type { Socket } from 'node:net';
import type { GatelogError } from '../../model/errors.ts';
import type { CallControl, ResponseSink } from '../upstream/response-sink.ts';
import { makeUpstream, type ProviderRequest, type Upstream, type UpstreamOptions } from '../upstream/upstream.ts';
import { type RawProvider, startRawProvider } from './raw-http.ts';

const opened: { close: () => unknown }[] = [];

/** Closes what {@link scene} has opened. */
export async function closeUpstreams(): Promise<void> {
  for (const { close } of opened.splice(0)) await close();
}

export const okResponse = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** The outcome of one call. */
export class Seen implements ResponseSink {
  call: CallControl | undefined;
  status = 0;
  body = '';
  isComplete = false;
  error: GatelogError | undefined;

  begin(call: CallControl): void {
    this.call = call;
  }
  start(status: number): void {
    this.status = status;
  }
  data(chunk: Buffer): void {
    this.body += chunk.toString('latin1');
  }
  sendHeadEarly(): void {}
  finish(): void {
    this.isComplete = true;
  }
  fail(error: GatelogError): void {
    this.error = error;
  }
  isOver(): boolean {
    return this.isComplete || this.error !== undefined;
  }
}

export interface Scene {
  readonly upstream: Upstream;
  readonly provider: RawProvider;
  readonly send: (request?: Partial<ProviderRequest>, seen?: Seen) => Seen;
}

/** Connections to a provider of which the test writes every byte. */
export async function scene(onRequest: (socket: Socket) => void, options: Partial<UpstreamOptions> = {}): Promise<Scene> {
  const provider = await startRawProvider(onRequest);
  const upstream = makeUpstream({
    connectTimeoutMs: 5000,
    headersTimeoutMs: 60_000,
    bodyTimeoutMs: 60_000,
    connections: 16,
    organizationSharePercent: 100,
    shareWaitMs: 60_000,
    idleTimeoutMs: 60_000,
    headerMaxBytes: 65_536,
    monotonic: () => performance.now(),
    ...options,
  });
  opened.push(upstream, provider);
  const send = (request: Partial<ProviderRequest> = {}, seen: Seen = new Seen()): Seen => {
    const origin = `http://127.0.0.1:${provider.port}`;
    upstream.send(
      {
        organizationId: 'one',
        method: 'POST',
        origin,
        path: '/v1',
        lookUp: undefined,
        lines: [],
        credentials: [],
        body: null,
        contentLength: undefined,
        ...request,
      },
      seen,
    );
    return seen;
  };
  return { upstream, provider, send };
}
