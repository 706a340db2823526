import { brotliCompressSync, brotliDecompressSync, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { PackedAddressFilter } from './packed-address-filter.ts';

const json = (address: string, padding = ''): Buffer => Buffer.from(JSON.stringify({ id: 'b', results_url: address, padding }));
const theirs = 'https://api.anthropic.com/v1/messages/batches/b/results';
const ours = 'http://127.0.0.1:8787/anthropic/v1/messages/batches/b/results';

function filtered(coding: string, chunks: readonly Buffer[]): { readonly bytes: Buffer; readonly stayed: number } {
  let stayed = 0;
  const filter = new PackedAddressFilter({
    coding,
    members: ['results_url'],
    readdress: (address) => (address === theirs ? ours : undefined),
    stayed: () => (stayed += 1),
  });
  const passed = chunks.map((chunk) => filter.pass(chunk));
  return { bytes: Buffer.concat([...passed, filter.rest() ?? Buffer.alloc(0)]), stayed };
}

it.each([
  ['gzip', gzipSync, gunzipSync],
  ['X-GZIP', gzipSync, gunzipSync],
  ['deflate', deflateSync, inflateSync],
  ['br', brotliCompressSync, brotliDecompressSync],
] as const)('addresses in a reply in %s become the gateway`s, in however many chunks it comes', (coding, pack, unpack) => {
  const packed = pack(json(theirs, 'x'.repeat(1000)));
  const chunks = Array.from({ length: packed.length }, (_, at) => packed.subarray(at, at + 1));
  for (const sent of [[packed], chunks]) {
    const { bytes, stayed } = filtered(coding, sent);
    expect([unpack(bytes).toString(), stayed]).toEqual([json(ours, 'x'.repeat(1000)).toString(), 0]);
  }
});

const random = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7919) % 251));

it.each([
  ['in another coding', 'zstd', json(theirs)],
  ['in two codings', 'gzip, br', brotliCompressSync(gzipSync(json(theirs)))],
  ['that is cut', 'gzip', gzipSync(json(theirs)).subarray(0, 40)],
  ['that is no gzip', 'gzip', json(theirs)],
  ['that is large', 'gzip', gzipSync(random, { level: 0 })],
  ['that becomes large', 'gzip', gzipSync(json(theirs, 'x'.repeat(600_000)))],
])('a reply %s passes as it is, which is told', (_, coding, packed) => {
  const half = Math.floor(packed.length / 2);
  const { bytes, stayed } = filtered(coding, [packed.subarray(0, half), packed.subarray(half)]);
  expect([bytes.equals(packed), stayed]).toEqual([true, 1]);
});

it('a reply without such an address keeps its bytes', () => {
  const packed = brotliCompressSync(json('https://elsewhere.example/', 'x'.repeat(500_000)));
  const { bytes, stayed } = filtered('br', [packed]);
  expect([bytes.equals(packed), stayed]).toEqual([true, 0]);
});

it('an empty reply stays empty', () => {
  expect(filtered('gzip', [])).toEqual({ bytes: Buffer.alloc(0), stayed: 0 });
});
