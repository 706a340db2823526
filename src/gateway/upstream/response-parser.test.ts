import { get, type IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:net';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { InvalidResponseError } from './response-head.ts';
import { HeadersTooLargeError, ResponseParser } from './response-parser.ts';
import { listen } from '../testing/raw-http.ts';

/** What a reply was read as. */
interface Read {
  readonly heads: (readonly [number, string, readonly string[]])[];
  body: string;
  isComplete: boolean;
  keepsConnection: boolean;
}

/** Reads the pieces of one reply; `close`: the provider closes the connection behind them. */
function read(pieces: readonly Buffer[], { method = 'GET', closes = false, headerMaxBytes = 65_536 } = {}): Read {
  const result: Read = { heads: [], body: '', isComplete: false, keepsConnection: false };
  const parser = new ResponseParser(
    {
      onHead: ({ status, message, lines }) => result.heads.push([status, message, lines]),
      onBody: (bytes) => {
        result.body += bytes.toString('latin1');
      },
    },
    headerMaxBytes,
  );
  parser.begin(method);
  // One buffer for all of them, as on a connection: what the parser keeps it has to copy.
  const shared = Buffer.alloc(Math.max(0, ...pieces.map(({ length }) => length)));
  for (const piece of pieces) {
    piece.copy(shared);
    parser.read(shared.subarray(0, piece.length));
    shared.fill('!');
  }
  result.isComplete = closes ? parser.end() : parser.isComplete();
  result.keepsConnection = parser.keepsConnection;
  return result;
}

const readText = (text: string, options?: Parameters<typeof read>[1]): Read => read([Buffer.from(text, 'latin1')], options);

/** A text cut into pieces at these places. */
function cut(text: string, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].toSorted((one, other) => one - other);
  return [0, ...at].map((start, index) => Buffer.from(text.slice(start, at[index] ?? text.length), 'latin1'));
}

const latin1 = (most: number): fc.Arbitrary<string> =>
  fc.uint8Array({ maxLength: most }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const tokens = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/).filter((name) => ![10, 14, 17].includes(name.length));
const values = fc.stringMatching(/^(?:[!-~\u0080-\u00ff](?:[\t -~\u0080-\u00ff]{0,20}[!-~\u0080-\u00ff])?)?$/);
const lines = fc.array(fc.tuple(tokens, values), { maxLength: 5 });
const framings = fc.constantFrom('length', 'chunked', 'close', 'none');

interface Made {
  readonly text: string;
  readonly expected: Read;
  readonly closes: boolean;
}

const responses: fc.Arbitrary<Made> = fc
  .record({
    interim: fc.array(fc.tuple(fc.constantFrom(100, 102, 103), lines), { maxLength: 2 }),
    status: fc.constantFrom(200, 201, 301, 404, 429, 500, 599),
    message: values,
    lines,
    framing: framings,
    body: latin1(200),
    chunks: fc.array(fc.nat(60), { maxLength: 6 }),
    extension: fc.constantFrom('', ';a=1', ';b="2"'),
    trailers: lines,
    spoken: fc.constantFrom('1.1', '1.0'),
    connection: fc.constantFrom('', 'close', 'keep-alive', 'Keep-Alive, X-Hop', 'x, Close'),
  })
  // HTTP/1.0 has no chunks.
  .map((parts) => make(parts.framing === 'chunked' ? { ...parts, spoken: '1.1' } : parts));

const linesText = (own: readonly (readonly [string, string])[]): string => own.map(([name, value]) => `${name}:\t${value} \r\n`).join('');

function make(parts: {
  interim: [number, [string, string][]][];
  status: number;
  message: string;
  lines: [string, string][];
  framing: string;
  body: string;
  chunks: number[];
  extension: string;
  trailers: [string, string][];
  spoken: string;
  connection: string;
}): Made {
  const { framing, spoken, connection } = parts;
  const status = framing === 'none' ? 204 : parts.status;
  const said: [string, string][] = [
    ...parts.lines,
    ...(framing === 'length' ? [['content-length', String(parts.body.length)] as [string, string]] : []),
    ...(framing === 'chunked' ? [['Transfer-Encoding', 'Chunked'] as [string, string]] : []),
    ...(connection === '' ? [] : [['Connection', connection] as [string, string]]),
  ];
  const heads: Read['heads'] = [];
  let all = '';
  for (const [interim, own] of parts.interim) {
    all += `HTTP/1.1 ${interim} \r\n${linesText(own)}\r\n`;
    heads.push([interim, '', own.flat()]);
  }
  all += `HTTP/${spoken} ${status} ${parts.message}\r\n${linesText(said)}\r\n`;
  heads.push([status, parts.message, said.flat()]);
  const body = framing === 'none' ? '' : parts.body;
  all += framing === 'chunked' ? `${chunked(body, parts)}${linesText(parts.trailers)}\r\n` : body;
  const options = connection.toLowerCase();
  const keeps = spoken === '1.1' ? !options.includes('close') : options.includes('keep-alive');
  return {
    text: all,
    closes: framing === 'close',
    expected: { heads, body, isComplete: true, keepsConnection: keeps && framing !== 'close' },
  };
}

function chunked(body: string, { chunks, extension }: { chunks: readonly number[]; extension: string }): string {
  let [all, at] = ['', 0];
  for (const size of [...chunks, body.length]) {
    const piece = body.slice(at, at + size);
    at += piece.length;
    if (piece !== '') all += `${piece.length.toString(16)}${extension}\r\n${piece}\r\n`;
  }
  return `${all}000${extension}\r\n`;
}

describe('a reply', () => {
  it('is read as it was written, in whatever pieces it comes (seed 4711)', () => {
    fc.assert(
      fc.property(responses, fc.array(fc.nat(), { maxLength: 12 }), ({ text, expected, closes }, places) => {
        expect(read(cut(text, places), { closes })).toEqual(expected);
      }),
      { seed: 4711, numRuns: 400 },
    );
  });

  it('is read the same byte by byte (seed 4712)', () => {
    fc.assert(
      fc.property(responses, ({ text, expected, closes }) => {
        const bytes = [...Buffer.from(text, 'latin1')].map((byte) => Buffer.of(byte));
        expect(read(bytes, { closes })).toEqual(expected);
      }),
      { seed: 4712, numRuns: 60 },
    );
  });

  it('without its last byte is not whole, also where the connection ends there (seed 4713)', () => {
    fc.assert(
      fc.property(
        responses.filter(({ closes }) => !closes),
        ({ text }) => {
          expect(readText(text.slice(0, -1), { closes: true }).isComplete).toBe(false);
        },
      ),
      { seed: 4713, numRuns: 200 },
    );
  });

  it('with a value that begins or ends with a byte that is white space elsewhere keeps it', () => {
    expect(readText('HTTP/1.1 204 \r\nX: \xa0\xc3\xa0\t \r\n\r\n').heads).toEqual([[204, '', ['X', '\xa0\xc3\xa0']]]);
  });

  it('to HEAD, and of a status that has none, has no body, whatever its head says', () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n';
    expect(readText(head, { method: 'HEAD' })).toMatchObject({ isComplete: true, keepsConnection: true });
    expect(readText(head.replace('200', '304'))).toMatchObject({ isComplete: true, keepsConnection: true });
  });

  it('with bytes behind it is whole, and its connection is not used again', () => {
    const response = readText('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n');
    expect(response).toMatchObject({ body: 'ok', isComplete: true, keepsConnection: false });
  });
});

const ok = 'HTTP/1.1 200 OK\r\n';

describe('what can be read in two ways, or is no HTTP/1.1, is refused', () => {
  it.each([
    ['no status line', 'hello\r\n\r\n'],
    ['another version', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['a version in lower case', 'http/1.1 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a status out of range', 'HTTP/1.1 600 OK\r\n\r\n'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
    ['a line without a colon', `${ok}hello\r\n\r\n`],
    ['a line without a name', `${ok}: x\r\n\r\n`],
    ['white space before the colon', `${ok}Content-Length : 5\r\n\r\n`],
    ['a line that goes on in the next', `${ok}X: a\r\n b\r\n\r\n`],
    ['a bare CR', `${ok}X: a\rContent-Length: 5\r\n\r\n`],
    ['a bare LF', `${ok}X: a\nContent-Length: 5\r\n\r\n`],
    ['a length with white space of Latin-1', `${ok}Content-Length: 5\xa0\r\n\r\n`],
    ['a coding with white space of Latin-1', `${ok}Transfer-Encoding: \xa0chunked\r\n\r\n`],
    ['a length with a tab behind it', `${ok}Content-Length: 5\t\r\n\r\n`],
    ['a length with a tab and a space behind it', `${ok}Content-Length: 5\t \r\n\r\n`],
    ['interim heads without end', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(257)],
    ['an interim head of HTTP/1.0', `HTTP/1.0 100 Continue\r\n\r\n${ok}\r\n`],
    ['a coding with a tab behind it', `${ok}Transfer-Encoding: chunked\t\r\n\r\n`],
    ['a zero byte', `${ok}X: a\0b\r\n\r\n`],
    ['two lengths', `${ok}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`],
    ['two equal lengths', `${ok}Content-Length: 5\r\nContent-Length: 5\r\n\r\n`],
    ['a list of lengths', `${ok}Content-Length: 5, 5\r\n\r\n`],
    ['a length with a sign', `${ok}Content-Length: +5\r\n\r\n`],
    ['an empty length', `${ok}Content-Length:\r\n\r\n`],
    ['a length beyond all bounds', `${ok}Content-Length: 9999999999999999\r\n\r\n`],
    ['a length and chunks', `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`],
    ['chunks and a length', `${ok}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n`],
    ['another coding', `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n`],
    ['chunks of HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['chunks of HTTP/1.0 on a connection that is kept', 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['chunks twice', `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n`],
    ['chunks that are not last', `${ok}Transfer-Encoding: chunked, identity\r\n\r\n`],
    ['a chunk size that is none', `${ok}Transfer-Encoding: chunked\r\n\r\nx\r\n`],
    ['an empty chunk size', `${ok}Transfer-Encoding: chunked\r\n\r\n\r\n`],
    ['a chunk size with a sign', `${ok}Transfer-Encoding: chunked\r\n\r\n-1\r\n`],
    ['a chunk size as C writes it', `${ok}Transfer-Encoding: chunked\r\n\r\n0x5\r\n`],
    ['a chunk size beyond all bounds', `${ok}Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(16)}\r\n`],
    ['a chunk size that ends with LF alone', `${ok}Transfer-Encoding: chunked\r\n\r\n2\nok\r\n0\r\n\r\n`],
    ['a bare CR in a chunk extension', `${ok}Transfer-Encoding: chunked\r\n\r\n2;a\rb\r\nok\r\n0\r\n\r\n`],
    ['white space behind a chunk size', `${ok}Transfer-Encoding: chunked\r\n\r\n2 \r\nok\r\n0\r\n\r\n`],
    ['a trailer without a name', `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\nhello\r\n\r\n`],
    ['a zero byte in a trailer', `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\nX: \0\r\n\r\n`],
    ['a trailer that says a length', `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 5\r\n\r\n`],
    ['a trailer that says a coding', `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\ntransfer-encoding: chunked\r\n\r\n`],
    ['a chunk extension over 16 KiB', `${ok}Transfer-Encoding: chunked\r\n\r\n0;${'a'.repeat(16_384)}\r\n\r\n`],
    ['an interim head behind which the connection is closed', `HTTP/1.1 103 \r\nConnection: close\r\n\r\n${ok}\r\n`],
    ['the greeting of another protocol', 'SSH-2.0-OpenSSH_9.2p1\r\n'],
    ['a record of TLS', '\x15\x03\x01\0\x02\x02\x16'],
    ['lines that end with LF alone', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok'],
    ['a chunk that is longer than it says', `${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nokay\r\n0\r\n\r\n`],
  ])('%s', (_name, text) => {
    expect(() => readText(text)).toThrow(InvalidResponseError);
    const bytes = [...Buffer.from(text, 'latin1')].map((byte) => Buffer.of(byte));
    expect(() => read(bytes)).toThrow(InvalidResponseError);
  });

  it.each([
    ['a head', `${ok}X: ${'a'.repeat(1000)}`],
    ['a head that is here whole', `${ok}X: ${'a'.repeat(1000)}\r\n\r\n`],
    ['interim heads together', `HTTP/1.1 103 Early Hints\r\nX: ${'a'.repeat(280)}\r\n\r\n`.repeat(3)],
    ['a chunk extension', `${ok}Transfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(1000)}`],
    ['a trailer', `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\nX: ${'a'.repeat(1000)}`],
    ['many trailers', `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n${'X: a\r\n'.repeat(300)}`],
  ])('%s over the limit', (_name, text) => {
    expect(() => readText(text, { headerMaxBytes: 900 })).toThrow(HeadersTooLargeError);
    const bytes = [...Buffer.from(text, 'latin1')].map((byte) => Buffer.of(byte));
    expect(() => read(bytes, { headerMaxBytes: 900 })).toThrow(HeadersTooLargeError);
  });
});

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server = undefined;
});

/** How Node's own client reads a reply after which the connection is closed; undefined where it refuses it. */
async function asNodeReads(port: number): Promise<{ status: number; body: string } | undefined> {
  return new Promise((resolve) => {
    get({ port, host: '127.0.0.1', agent: false, maxHeaderSize: 65_536 }, (response: IncomingMessage) => {
      let body = '';
      response.setEncoding('latin1').on('data', (text: string) => {
        body += text;
      });
      response.once('error', () => resolve(undefined));
      response.once('end', () => resolve(response.complete ? { status: response.statusCode ?? 0, body } : undefined));
    })
      .once('error', () => resolve(undefined))
      .once('upgrade', () => resolve(undefined));
  });
}

/** Lines that would say something of the body or the connection, wherever they come. */
const framingLines = fc.constantFrom(
  'Content-Length: 5\r\n',
  'Content-Length: 0\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: close\r\n',
  'Connection: upgrade\r\nUpgrade: x\r\n',
  `;${'a'.repeat(17_000)}\r\n`,
);

/** A text with one more line behind one of its lines. */
function withLine(text: string, place: number, line: string): string {
  const ends = [...text.matchAll(/\r\n/g)].map(({ index }) => index);
  const end = ends[place % ends.length] ?? 0;
  // An extension goes on the line that ends there.
  return line.startsWith(';') ? text.slice(0, end) + line + text.slice(end + 2) : text.slice(0, end + 2) + line + text.slice(end + 2);
}

it('what is taken is read as Node reads it, also where some bytes are others (seed 4714)', async () => {
  let response = Buffer.alloc(0);
  server = createServer((socket) => {
    socket.on('error', () => undefined).end(response);
  });
  const port = await listen(server);
  const wild = fc.constantFrom(...Buffer.from('\r\n\0\t :,;0159aAfFxX-\xa0\xff', 'latin1'));
  const faults = fc.array(fc.tuple(fc.nat(), wild, fc.constantFrom('change', 'insert', 'remove')), { maxLength: 2 });
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(responses, faults, fc.option(fc.tuple(fc.nat(), framingLines)), async ({ text }, changes, line) => {
      const bytes = [...Buffer.from(line === null ? text : withLine(text, ...line), 'latin1')];
      for (const [place, byte, kind] of changes) {
        bytes.splice(place % bytes.length, kind === 'insert' ? 0 : 1, ...(kind === 'remove' ? [] : [byte]));
      }
      response = Buffer.from(bytes);
      let ours: Read;
      try {
        ours = read([response], { closes: true });
      } catch {
        return;
      }
      const status = ours.heads.at(-1)?.[0] ?? 0;
      // Of what comes behind a reply Node may have an error in place of the reply.
      if (!ours.isComplete || status < 200 || read([response.subarray(0, -1)]).isComplete) return;
      taken += 1;
      expect(await asNodeReads(port)).toEqual({ status, body: ours.body });
    }),
    { seed: 4714, numRuns: 1500 },
  );
  expect(taken).toBeGreaterThan(100);
});
