import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { Zstd } from '@hpcc-js/wasm-zstd';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLines } from './input.ts';

let folder: string;
let zstd: Zstd;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-lines-'));
  zstd = await Zstd.load();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Lines of which some are long, some repeat and some cannot be compressed. */
const texts = Array.from({ length: 3000 }, (_, index) =>
  JSON.stringify({ index, same: 'again and again '.repeat(index % 40), random: index % 7 === 0 ? randomBytes(900).toString('hex') : '' }),
);
const text = Buffer.from(`${texts.join('\n')}\n`);

async function linesOf(bytes: Buffer): Promise<readonly string[]> {
  const file = path.join(folder, createHash('sha256').update(bytes).digest('hex'));
  writeFileSync(file, bytes);
  const found: string[] = [];
  const input = openLines(file, Readable.from([]));
  for await (const line of input.lines()) found.push(line.bytes.toString('utf8'));
  expect(input.readBytes()).toBe(input.totalBytes);
  return found;
}

describe('a file of lines', () => {
  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['plain', (bytes) => bytes],
    ['compressed with gzip', (bytes) => gzipSync(bytes)],
    ['compressed with zstd', (bytes) => Buffer.from(zstd.compress(bytes))],
    [
      'of several zstd frames',
      (bytes) => Buffer.concat([zstd.compress(bytes.subarray(0, 100_000)), zstd.compress(bytes.subarray(100_000))]),
    ],
    ['of zstd frames with one to skip', (bytes) => Buffer.concat([Buffer.from('502a4d1803000000616263', 'hex'), zstd.compress(bytes)])],
  ])('is read as it is: %s', async (_how, compressed) => {
    expect(await linesOf(compressed(text))).toEqual(texts);
  });

  test.each([['-1'], ['-19'], ['--long=24', '--check'], ['--ultra', '-20', '--no-check']])(
    'is read as the zstd command writes it (%s)',
    async (...options) => {
      let written: Buffer;
      try {
        written = execFileSync('zstd', [...options, '-c'], { input: text, maxBuffer: 64 * 1024 * 1024, stdio: ['pipe', 'pipe', 'ignore'] });
      } catch {
        // This machine has no such command.
        written = Buffer.from(zstd.compress(text));
      }
      expect(await linesOf(written)).toEqual(texts);
    },
  );

  test.each<[string, Buffer, string]>([
    ['is cut off', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x24]), 'cannot be read: it ends in the middle of a frame.'],
    ['is a list', Buffer.from('[{}]'), 'begins with "[": a list becomes lines by: jq'],
    ['is csv', Buffer.from('request_id,cost\n'), 'begins with "r": it needs one JSON object a line.'],
    ['is Parquet', Buffer.from('PAR1....'), 'is a Parquet file; import JSON lines'],
  ])('that %s is refused as a whole', async (_case, bytes, sentence) => {
    await expect(linesOf(bytes)).rejects.toThrow(sentence);
  });

  test('may begin with a bad line: it is told with its number later', async () => {
    expect(await linesOf(Buffer.from('no JSON\n {"a":1}\n'))).toEqual(['no JSON', '{"a":1}']);
  });

  test('that is not there is refused before anything is sent', () => {
    expect(() => openLines(path.join(folder, 'nothing'), Readable.from([]))).toThrow('cannot be read: ENOENT');
    expect(() => openLines(folder, Readable.from([]))).toThrow('it is a folder; name the files in it');
  });
});
