import { expect, test } from 'vitest';
import { HttpMessageReader, type UnframedBody } from './http-message-reader.ts';

interface ReadMessage {
  startLine: string;
  body: string;
  ended: boolean;
}

/** Reads the wire text in pieces of `pieceBytes` and returns what was told, with the verdict on the close that follows. */
function read(wire: string, pieceBytes: number, unframedBody: UnframedBody = 'empty'): { messages: ReadMessage[]; cleanClose: boolean } {
  const messages: ReadMessage[] = [];
  const reader = new HttpMessageReader(
    {
      onHead: (head) => messages.push({ startLine: head.split('\r\n')[0] ?? '', body: '', ended: false }),
      onBody: (bytes) => {
        const last = messages.at(-1);
        if (last !== undefined) last.body += bytes.toString('latin1');
      },
      onEnd: () => {
        const last = messages.at(-1);
        if (last !== undefined) last.ended = true;
      },
    },
    unframedBody,
  );
  const bytes = Buffer.from(wire, 'latin1');
  for (let offset = 0; offset < bytes.length; offset += pieceBytes) reader.push(bytes.subarray(offset, offset + pieceBytes));
  return { messages, cleanClose: reader.close() };
}

const sized = 'POST /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello';
const empty = 'GET /b HTTP/1.1\r\nhost: x\r\n\r\n';
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nB;name=value\r\n, two words\r\n0\r\nTrailer: t\r\n\r\n';

test.each([1, 2, 3, 7, 16, 1000])('reads sized, empty and chunked messages in pieces of %i bytes', (pieceBytes) => {
  const { messages, cleanClose } = read(sized + empty + chunked + sized, pieceBytes);
  expect(messages).toEqual([
    { startLine: 'POST /a HTTP/1.1', body: 'hello', ended: true },
    { startLine: 'GET /b HTTP/1.1', body: '', ended: true },
    { startLine: 'HTTP/1.1 200 OK', body: 'hello, two words', ended: true },
    { startLine: 'POST /a HTTP/1.1', body: 'hello', ended: true },
  ]);
  expect(cleanClose).toBe(true);
});

test.each([1, 1000])('a response without a length lasts until the close, in pieces of %i bytes', (pieceBytes) => {
  const { messages, cleanClose } = read('HTTP/1.1 200 OK\r\n\r\nall of it', pieceBytes, 'until-close');
  expect(messages).toEqual([{ startLine: 'HTTP/1.1 200 OK', body: 'all of it', ended: true }]);
  expect(cleanClose).toBe(true);
});

test.each([
  ['a head', sized.slice(0, 12)],
  ['a sized body', sized.slice(0, -1)],
  ['a chunked body', chunked.slice(0, -2)],
])('a close inside %s is not clean', (_place, wire) => {
  expect(read(wire, 1000).cleanClose).toBe(false);
});

test('bytes that are not HTTP are refused', () => {
  expect(() => read('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot a size\r\n', 1000)).toThrow('chunk');
  expect(() => read('x'.repeat(100_000), 1000)).toThrow('too long');
});
