/**
 * What a body begins with. Some servers name no content type, or another, so that is a hint only.
 * `json`: an object or a list, which may be the first of several lines. `messages`: probably binary messages, whose lengths begin with 0.
 * `blank`: nothing yet but blanks, line ends and a byte order mark.
 */
export type FirstBytes = 'json' | 'messages' | 'blank' | 'other';

/** @param bytes UTF-8, from the beginning of a body. */
export function firstBytesOf(bytes: Uint8Array): FirstBytes {
  for (const byte of bytes) {
    if (byte === 0x7b || byte === 0x5b) return 'json';
    if (!isBlank(byte)) return byte === 0 ? 'messages' : 'other';
  }
  return 'blank';
}

/** Blanks, line ends and the bytes of a byte order mark. */
function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0xef || byte === 0xbb || byte === 0xbf;
}
