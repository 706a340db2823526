import { Zstd } from '@hpcc-js/wasm-zstd';
import { brotliCompressSync, brotliDecompressSync, deflateRawSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { codingFor, decodeBuffered, encodeIn } from './content-coding.ts';

const text = Buffer.from('Grüße '.repeat(500));
const zstdText = Buffer.from((await Zstd.load()).compress(text));

describe('decoding', () => {
  it.each([
    ['gzip', gzipSync(text)],
    ['X-GZip ', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['zstd', zstdText],
    ['deflate', deflateRawSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
    ['zstd, deflate,Identity', deflateRawSync(zstdText)],
  ])('%s', async (coding, bytes) => {
    expect(await decodeBuffered(bytes, coding, text.length)).toEqual(text);
  });

  it.each([
    ['is cut short', gzipSync(text).subarray(0, -9), 'gzip'],
    ['is in another coding', gzipSync(text), 'br'],
    ['becomes too much', gzipSync(Buffer.alloc(text.length + 1)), 'gzip'],
    ['is cut short in its last frame', zstdText.subarray(0, -9), 'zstd'],
    ['becomes too much, in zstd', Buffer.concat([zstdText, zstdText]), 'zstd'],
    ['is in a coding that nobody here knows', text, 'compress'],
    ['is in two codings, of which one is unknown', gzipSync(text), 'compress, gzip'],
    [
      'becomes too much on the way',
      gzipSync(gzipSync(Buffer.from(Array.from({ length: 9000 }, (_, index) => index * 7919)))),
      'gzip, gzip',
    ],
  ])('nothing comes of what %s', async (_what, bytes, coding) => {
    expect(await decodeBuffered(bytes, coding, text.length)).toBeUndefined();
  });
});

describe('the coding for a caller', () => {
  it.each([
    ['', undefined],
    ['identity', undefined],
    ['zstd, deflate', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['GZIP;Q=0.5, br;q=0.2', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *;q=0.1', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=much', undefined],
  ])('of "%s" is %s', (accepted, coding) => {
    expect(codingFor(accepted)).toBe(coding);
  });

  it('is one in which it reads the same bytes', async () => {
    expect(gunzipSync(await encodeIn('gzip', text))).toEqual(text);
    expect(brotliDecompressSync(await encodeIn('br', text))).toEqual(text);
  });
});
