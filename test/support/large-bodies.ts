import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { SeededRandom } from './seeded-random.ts';

const block = new SeededRandom(1).bytes(1024 * 1024);

/** A body of this length that never repeats, generated in blocks. */
function* patternOf(bytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes; at += block.length) {
    const piece = Buffer.from(block.subarray(0, Math.min(block.length, bytes - at)));
    if (piece.length >= 6) piece.writeUIntBE(at, 0, 6);
    yield piece;
  }
}

const digests = new Map<number, string>();

/** SHA-256 of such a body, hexadecimal. */
export function patternDigest(bytes: number): string {
  const known = digests.get(bytes);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  for (const piece of patternOf(bytes)) hash.update(piece);
  const digest = hash.digest('hex');
  digests.set(bytes, digest);
  return digest;
}

async function digestOf(message: IncomingMessage): Promise<{ digest: string; bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of message) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { digest: hash.digest('hex'), bytes };
}

/** A provider that reports the received bytes in headers and answers with as many bytes as the query wants. */
export interface LargeProvider {
  readonly origin: string;
  readonly close: () => Promise<void>;
}

export async function startLargeProvider(): Promise<LargeProvider> {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://provider');
    const bytes = Number(searchParams.get('bytes'));
    void digestOf(request).then((got) => {
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'x-got-digest': got.digest,
        'x-got-bytes': got.bytes,
        ...(searchParams.get('framing') === 'length' ? { 'content-length': bytes } : {}),
      });
      Readable.from(patternOf(bytes)).pipe(response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

export interface LargeCall {
  readonly url: string;
  readonly key: string;
  readonly bytes: number;
  readonly framing: 'length' | 'chunked';
  readonly contentType: string;
}

/** What both sides received of a body of this size in both directions. */
export interface LargeResult {
  readonly id: string;
  readonly status: number | undefined;
  readonly up: { readonly digest: string; readonly bytes: number };
  readonly down: { readonly digest: string; readonly bytes: number };
}

/** Streams a body and receives one of the same size, holding neither. */
export async function performLargeCall({ url, key, bytes, framing, contentType }: LargeCall): Promise<LargeResult> {
  const request = httpRequest(`${url}?bytes=${bytes}&framing=${framing}`, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': contentType,
      'svc-auth': `Bearer ${key}`,
      authorization: 'Bearer provider-key',
      ...(framing === 'length' ? { 'content-length': bytes } : { 'transfer-encoding': 'chunked' }),
    },
  });
  Readable.from(patternOf(bytes)).pipe(request);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const { headers, statusCode: status } = response;
  return {
    id: String(headers['svc-id']),
    status,
    up: { digest: String(headers['x-got-digest']), bytes: Number(headers['x-got-bytes']) },
    down: await digestOf(response),
  };
}
