/**
 * Encodes a text for storage without NUL. SQLite's driver reads a text up to its first NUL, so `alice\0x` would come back as `alice`;
 * Postgres rejects NUL.
 */
export function withoutNul(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\0', '%00');
}

/** Decodes a text of {@link withoutNul}. */
export function withNul(encoded: string): string {
  return encoded.replaceAll(/%(?:00|25)/g, (spelling) => (spelling === '%00' ? '\0' : '%'));
}
