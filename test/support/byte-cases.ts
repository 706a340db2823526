import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { RequestItem } from '../../src/contract/requests/item.ts';
import { readServerSentEvents } from '../../src/providers/format/sse.ts';
import { wireFormatFor } from '../../src/providers/registry.ts';
import { type ByteProvider, callHeader, collect } from './byte-provider.ts';
import type { SeededRandom } from './seeded-random.ts';
import { eventually } from './eventually.ts';
import type { Combination } from './matrix.ts';
import { type TypedBody, type WireShape, wireShapes } from './wire-shapes.ts';

/** Everything that may vary in a call, in both directions. */
export const byteFactors = {
  shape: wireShapes.map(({ name }) => name),
  response: ['json', 'stream'],
  status: [200, 400, 401, 404, 429, 500, 503, 529],
  requestFraming: ['length', 'chunked'],
  requestPieces: ['one', 'random'],
  requestEncoding: ['identity', 'gzip', 'br'],
  responseFraming: ['length', 'length-close', 'chunked', 'until-close'],
  responsePieces: ['one', 'random'],
  responseEncoding: ['identity', 'gzip', 'br'],
  connection: ['keep-alive', 'close'],
} as const;

export type ByteCase = Combination<typeof byteFactors>;

/** A call with all of its bytes. */
export interface PlannedCall {
  readonly description: string;
  readonly shape: WireShape;
  readonly path: string;
  readonly providerPath: string;
  readonly status: number;
  /** Before compression, and as sent over the wire. */
  readonly request: TypedBody;
  readonly sent: Buffer;
  readonly response: TypedBody;
  readonly answered: Buffer;
  readonly streamed: boolean;
}

/** The gateway, and the provider behind it. */
export interface ByteTarget {
  readonly gateway: string;
  readonly key: string;
  readonly provider: ByteProvider;
}

export interface ByteResult {
  readonly id: string;
  /** Differences in bytes, status or checked headers. */
  readonly faults: readonly string[];
}

const encoders: Readonly<Record<ByteCase['responseEncoding'], (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gzipSync(bytes),
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
};

/** Determines the bytes of a case. */
export function planCall(combination: ByteCase): PlannedCall {
  const shape = wireShapes.find(({ name }) => name === combination.shape);
  if (shape === undefined) throw new Error(`there is no shape ${combination.shape}`);
  const streamed = combination.response === 'stream' && shape.stream !== undefined;
  const whole = combination.status === 200 ? shape.response : shape.error;
  const response = streamed && shape.stream !== undefined ? shape.stream : whole;
  return {
    description: JSON.stringify(combination),
    shape,
    path: (streamed ? shape.streamPath : undefined) ?? shape.path,
    providerPath: (streamed ? shape.streamProviderPath : undefined) ?? shape.providerPath,
    status: combination.status,
    request: shape.request,
    sent: encoders[combination.requestEncoding](shape.request.bytes),
    response,
    answered: encoders[combination.responseEncoding](response.bytes),
    streamed,
  };
}

const keptAlive = new Agent({ keepAlive: true });
let callsSent = 0;

/** Sends one case through the gateway and compares what each side received with what the other one sent. */
export async function performCase(
  target: ByteTarget,
  combination: ByteCase,
  random: SeededRandom,
  halfway?: () => Promise<void>,
): Promise<ByteResult> {
  const planned = planCall(combination);
  const call = String((callsSent += 1));
  target.provider.plan(call, {
    status: planned.status,
    headers: { ...headersOf(planned.response, combination.responseEncoding), 'X-Request-Id': `req-${call}` },
    pieces: combination.responsePieces === 'one' ? [planned.answered] : random.pieces(planned.answered),
    framing: combination.responseFraming,
    ...(halfway === undefined ? {} : { halfway }),
  });
  const response = await send(target, call, { planned, combination, random });
  const received = await collect(response);
  const arrival = target.provider.take(call);
  const compared: readonly (readonly [what: string, got: unknown, wanted: unknown])[] = [
    ['method at the provider', arrival?.method, 'POST'],
    ['path at the provider', arrival?.path, planned.providerPath],
    ['content type at the provider', arrival?.contentType, planned.request.contentType],
    ['content encoding at the provider', arrival?.contentEncoding, encodingOf(combination.requestEncoding)],
    ['request body', arrival?.body.toString('latin1'), planned.sent.toString('latin1')],
    ['status', response.statusCode, planned.status],
    ['content type', response.headers['content-type'], planned.response.contentType],
    ['content encoding', response.headers['content-encoding'], encodingOf(combination.responseEncoding)],
    ['the provider`s own header', response.headers['x-request-id'], `req-${call}`],
    ['declared length', response.headers['content-length'], lengthOf(combination, planned)],
    ['response body', received.toString('latin1'), planned.answered.toString('latin1')],
    ['end of the response', response.complete, true],
  ];
  return { id: String(response.headers['svc-id']), faults: differences(planned, compared) };
}

interface Sending {
  readonly planned: PlannedCall;
  readonly combination: ByteCase;
  readonly random: SeededRandom;
}

async function send({ gateway, key }: ByteTarget, call: string, { planned, combination, random: dice }: Sending): Promise<IncomingMessage> {
  const { connection, requestEncoding, requestFraming, requestPieces } = combination;
  const request = httpRequest(gateway + planned.path, {
    method: 'POST',
    agent: connection === 'keep-alive' ? keptAlive : false,
    headers: {
      ...headersOf(planned.request, requestEncoding),
      [callHeader]: call,
      'svc-auth': `Bearer ${key}`,
      authorization: 'Bearer provider-key',
      ...(requestFraming === 'length' ? { 'content-length': planned.sent.length } : { 'transfer-encoding': 'chunked' }),
      ...(connection === 'close' ? { connection: 'close' } : {}),
    },
  });
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
  });
  if (requestPieces === 'one') request.end(planned.sent);
  else {
    request.setNoDelay(true);
    for (const piece of dice.pieces(planned.sent)) {
      request.write(piece);
      await turn();
    }
    request.end();
  }
  return responded;
}

function headersOf({ contentType }: TypedBody, encoding: string): Record<string, string> {
  const named = encodingOf(encoding);
  return { 'Content-Type': contentType, ...(named === undefined ? {} : { 'Content-Encoding': named }) };
}

const encodingOf = (encoding: string): string | undefined => (encoding === 'identity' ? undefined : encoding);

function lengthOf({ responseFraming }: ByteCase, { answered }: PlannedCall): string | undefined {
  return responseFraming === 'length' || responseFraming === 'length-close' ? String(answered.length) : undefined;
}

function differences(
  { description: described }: PlannedCall,
  compared: readonly (readonly [what: string, got: unknown, wanted: unknown])[],
): readonly string[] {
  return compared
    .filter(([, got, wanted]) => !isDeepStrictEqual(got, wanted))
    .map(([what, got, wanted]) => `${described}: ${what} is ${shown(got)}, not ${shown(wanted)}`);
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 300);

/** Reads requests by identifier; unrecorded ones are missing in the result. */
export type ReadItems = (ids: readonly string[]) => Promise<readonly RequestItem[]>;

const idsPerRequest = 200;

/** Compares the records of calls with the exchanged bytes, once all are stored. @throws when some are not stored within a minute. */
export async function recordsFaults(
  readItems: ReadItems,
  calls: readonly { readonly id: string; readonly combination: ByteCase }[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (let at = 0; at < calls.length; at += idsPerRequest) {
    const batch = calls.slice(at, at + idsPerRequest);
    const items = await eventually(
      `${batch.length} requests to be stored`,
      async () => {
        const found = await readItems(batch.map(({ id }) => id));
        return found.length === batch.length ? new Map(found.map((item) => [item.request_id, item])) : undefined;
      },
      60_000,
    );
    for (const { id, combination } of batch) faults.push(...recordFaults(combination, items.get(id)));
  }
  return faults;
}

/** Compares the record of a case, as the API shows it, with the exchanged bytes: streams assembled, content decoded. */
function recordFaults(combination: ByteCase, item: RequestItem | undefined): readonly string[] {
  const planned = planCall(combination);
  const { shape, status, streamed, request, response } = planned;
  if (item === undefined) return [`${planned.description}: there is no record`];
  const expectedFields = streamed || status === 200 ? shape.record : { provider: shape.record.provider };
  const recordedFields = Object.entries(expectedFields).map(
    ([name, wanted]) => [`recorded ${name}`, item[name as keyof RequestItem], wanted] as const,
  );
  return differences(planned, [
    ['recorded status', item.response_status, status],
    ['recorded path', item.request_path, planned.path],
    ['recorded request', item.request_body, shownBody(request, planned.sent)],
    ['recorded response', item.response_body, streamed ? assembledBody(planned) : shownBody(response, planned.answered)],
    ['recorded size', item.size_bytes, planned.sent.length + planned.answered.length],
    ...recordedFields,
  ]);
}

/** JSON is parsed, text unchanged, anything else base64 of the bytes on the wire. */
function shownBody({ contentType, bytes }: TypedBody, passed: Buffer): unknown {
  if (contentType === 'application/json') return JSON.parse(bytes.toString('utf8'));
  if (contentType.startsWith('text/')) return bytes.toString('utf8');
  return { base64: passed.toString('base64'), content_type: contentType };
}

/** The assembled stream; its text when its format cannot be assembled. */
function assembledBody({ shape, path, response }: PlannedCall): unknown {
  const format = wireFormatFor(shape.record.provider === 'GOOGLE' ? 'gemini' : shape.record.provider.toLowerCase(), path);
  const assembled = format?.assembleStream(readServerSentEvents([response.bytes]));
  return assembled?.understood === true ? JSON.parse(JSON.stringify(assembled.body)) : response.bytes.toString('utf8');
}
