import { brotliCompressSync, brotliDecompressSync, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { AddressFilter } from './address-filter.ts';
import type { Readdress } from './reply-addresses.ts';

/** Objects of batches have some kilobytes. Larger replies, packed or not, pass as they are. */
const maxBytes = { packed: 256 * 1024, unpacked: 4 * 1024 * 1024 };
const none = Buffer.alloc(0);

interface Coding {
  readonly unpack: (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer;
  readonly pack: (bytes: Buffer) => Buffer;
}

const gzip: Coding = { unpack: gunzipSync, pack: gzipSync };
const codings: ReadonlyMap<string, Coding> = new Map([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', { unpack: inflateSync, pack: deflateSync }],
  ['br', { unpack: brotliDecompressSync, pack: brotliCompressSync }],
]);

export interface PackedAddresses {
  /** Of the `Content-Encoding`. */
  readonly coding: string;
  readonly members: readonly string[];
  readonly readdress: Readdress;
  /** Told when the addresses stay, because the reply cannot be unpacked here. */
  readonly stayed: () => void;
}

/** As {@link AddressFilter}, for a reply that a provider packs although it was not asked to. It is kept until its end, and packed again. */
export class PackedAddressFilter {
  private readonly options: PackedAddresses;
  private readonly coding: Coding | undefined;
  private parts: Buffer[] = [];
  private bytes = 0;
  private isGivenUp: boolean;

  constructor(options: PackedAddresses) {
    this.options = options;
    this.coding = codings.get(options.coding.trim().toLowerCase());
    this.isGivenUp = this.coding === undefined;
    if (this.isGivenUp) options.stayed();
  }

  pass(chunk: Buffer): Buffer {
    if (this.isGivenUp) return chunk;
    this.parts.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes <= maxBytes.packed) return none;
    return this.giveUp();
  }

  /** What is left at the end of the reply. */
  rest(): Buffer | undefined {
    const { coding } = this;
    if (this.isGivenUp || coding === undefined || this.bytes === 0) return undefined;
    const packed = Buffer.concat(this.parts);
    try {
      const filter = new AddressFilter(this.options.members, this.options.readdress);
      const unpacked = coding.unpack(packed, { maxOutputLength: maxBytes.unpacked });
      const [passed, rest = none] = [filter.pass(unpacked), filter.rest()];
      return coding.pack(Buffer.concat([passed, rest]));
    } catch {
      return this.giveUp();
    }
  }

  private giveUp(): Buffer {
    const kept = Buffer.concat(this.parts);
    this.parts = [];
    this.isGivenUp = true;
    this.options.stayed();
    return kept;
  }
}
