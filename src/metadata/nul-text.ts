/**
 * A text as it is kept here: no column of text holds NUL. SQLite's driver reads a text up to its first NUL, so that `alice\0x` would come back as
 * `alice`; Postgres takes none at all.
 */
export function withoutNul(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\0', '%00');
}

/** The text that {@link withoutNul} was given. */
export function withNul(kept: string): string {
  return kept.replaceAll(/%(?:00|25)/g, (spelling) => (spelling === '%00' ? '\0' : '%'));
}
