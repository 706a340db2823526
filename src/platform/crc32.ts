const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ 0xed_b8_83_20 : value >>> 1;
  return value;
});

/**
 * The CRC-32 of zlib for a few bytes, where a call into zlib costs four times as much. @param initial the checksum of the bytes before.
 * @returns 0 to 2³²−1.
 */
export function crc32Small(bytes: Uint8Array, start: number, end: number, initial = 0): number {
  let value = ~initial;
  for (let index = start; index < end; index += 1) value = (table[(value ^ (bytes[index] ?? 0)) & 0xff] ?? 0) ^ (value >>> 8);
  return ~value >>> 0;
}

/** {@link crc32Small} of a text of ASCII characters. */
export function crc32OfAscii(text: string): number {
  let value = -1;
  for (let index = 0; index < text.length; index += 1) value = (table[(value ^ text.charCodeAt(index)) & 0xff] ?? 0) ^ (value >>> 8);
  return ~value >>> 0;
}
