import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

/** The request that the provider received. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly body: Buffer;
}

/** The response that the provider sends, byte for byte. */
export interface PlannedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly Buffer[];
  /** `length`: declared. `until-close`: the body ends with the connection. */
  readonly framing: 'length' | 'length-close' | 'chunked' | 'until-close';
  /** Awaited after half of the pieces. */
  readonly halfway?: () => Promise<void>;
}

/** Names the planned response; the gateway forwards it like any other header. */
export const callHeader = 'x-planned-reply';

/** A provider of every wire format on loopback; each call names its planned response. */
export interface ByteProvider {
  /** `http://host:port`, without a path. */
  readonly origin: string;
  readonly plan: (call: string, response: PlannedResponse) => void;
  /** Removes the received request of a call and returns it. */
  readonly take: (call: string) => Arrival | undefined;
  readonly close: () => Promise<void>;
}

export async function startByteProvider(): Promise<ByteProvider> {
  const plans = new Map<string, PlannedResponse>();
  const arrivals = new Map<string, Arrival>();
  const server = createServer((request, response) => {
    const call = String(request.headers[callHeader]);
    void collect(request).then(async (body) => {
      const { 'content-type': contentType, 'content-encoding': contentEncoding } = request.headers;
      arrivals.set(call, { method: request.method ?? '', path: request.url ?? '', contentType, contentEncoding, body });
      const planned = plans.get(call);
      plans.delete(call);
      if (planned === undefined) response.writeHead(599).end();
      else await answer(response, planned);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan: (call, planned) => plans.set(call, planned),
    take: (call) => {
      const arrival = arrivals.get(call);
      arrivals.delete(call);
      return arrival;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

export async function collect(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function answer(response: ServerResponse, { status, headers, pieces, framing, halfway }: PlannedResponse): Promise<void> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const closes = framing === 'length-close' || framing === 'until-close';
  // Without chunked encoding Node ends the connection after a body without a declared length.
  response.useChunkedEncodingByDefault = framing === 'chunked';
  response.writeHead(status, {
    ...headers,
    ...(framing === 'length' || framing === 'length-close' ? { 'content-length': length } : {}),
    ...(closes ? { connection: 'close' } : {}),
  });
  const middle = Math.floor(pieces.length / 2);
  for (const [index, piece] of pieces.entries()) {
    if (index === middle) await halfway?.();
    response.write(piece);
    // One piece per event-loop tick, or Node would combine them.
    if (pieces.length > 1) await turn();
  }
  response.end();
}
