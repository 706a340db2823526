import { brotliCompressSync, brotliDecompressSync, constants, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { AddressFilter } from './address-filter.ts';
import type { Readdress } from './reply-addresses.ts';

/** An object of a batch has some kilobytes, a page of a hundred less than this. Larger replies pass as they are: all calls of a worker wait meanwhile. */
const maxBytes = { packed: 128 * 1024, unpacked: 512 * 1024 };
const none = Buffer.alloc(0);

interface Coding {
  readonly unpack: (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer;
  readonly pack: (bytes: Buffer) => Buffer;
}

/** The default quality takes a second for what this one does in some milliseconds. */
const quickBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzip: Coding = { unpack: gunzipSync, pack: gzipSync };
const codings: ReadonlyMap<string, Coding> = new Map([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', { unpack: inflateSync, pack: deflateSync }],
  ['br', { unpack: brotliDecompressSync, pack: (bytes) => brotliCompressSync(bytes, quickBrotli) }],
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
      const addressed = Buffer.concat([passed, rest]);
      return addressed.equals(unpacked) ? packed : coding.pack(addressed);
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
