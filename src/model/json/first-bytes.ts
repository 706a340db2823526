/**
 * What a body begins with. Some servers name no content type, or another, so that is a hint only.
 * `json`: an object or a list, which may be the first of several lines. `messages`: Amazon's binary messages, as their lengths show.
 * `blank`: nothing yet but blanks, line ends and a byte order mark.
 */
export type FirstBytes = 'json' | 'messages' | 'blank' | 'other';

/** @param bytes UTF-8, from the beginning of a body. */
export function firstBytesOf(bytes: Uint8Array): FirstBytes {
  for (const byte of bytes) {
    if (byte === 0x7b || byte === 0x5b) return 'json';
    if (!isBlank(byte)) return mayBeMessage(bytes) ? 'messages' : 'other';
  }
  return 'blank';
}

const minMessageBytes = 16;

/** Whether bytes may begin with a message of less than 16 MiB: its length and that of its headers come first. */
function mayBeMessage(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0) return false;
  if (bytes.length < 8) return true;
  const [total, headers] = [lengthAt(bytes, 0), lengthAt(bytes, 4)];
  return bytes[4] === 0 && headers + minMessageBytes <= total;
}

/** The last three of four bytes, as the first is 0. */
function lengthAt(bytes: Uint8Array, offset: number): number {
  return ((bytes[offset + 1] ?? 0) << 16) | ((bytes[offset + 2] ?? 0) << 8) | (bytes[offset + 3] ?? 0);
}

/** Blanks, line ends and the bytes of a byte order mark. */
function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0xef || byte === 0xbb || byte === 0xbf;
}
