import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Zstd } from '@hpcc-js/wasm-zstd';
import type { Compression } from '../model/vocabulary/export.ts';

/** Compresses a part of a file. Parts one after the other are a file, and each can be read without those before it. */
export type CompressPart = (bytes: Uint8Array) => Promise<Uint8Array>;

const compressGzip = promisify(gzip);

let zstd: Zstd | undefined;

/** Node 20 has no zstd. Call it before {@link zstdNow}: the library is loaded on first use. */
export async function loadZstd(): Promise<void> {
  zstd ??= await (await import('@hpcc-js/wasm-zstd')).Zstd.load();
}

export function zstdNow(bytes: Uint8Array): Uint8Array {
  if (zstd === undefined) throw new TypeError('The library was not loaded.');
  return zstd.compress(bytes);
}

export async function partCompressor(compression: Compression): Promise<CompressPart> {
  switch (compression) {
    case 'gzip':
      return (bytes) => compressGzip(bytes);
    case 'zstd':
      await loadZstd();
      return (bytes) => Promise.resolve(zstdNow(bytes));
    case 'none':
      return (bytes) => Promise.resolve(bytes);
  }
}
