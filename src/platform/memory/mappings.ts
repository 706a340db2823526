import path from 'node:path';

/** A part of a file that this process has mapped, as `/proc/self/smaps` describes it (proc_pid_smaps(5)). Addresses and sizes in bytes. */
export interface Mapping {
  readonly start: number;
  readonly end: number;
  /** Such as `r-xp`: read, write, execute, and private or shared. */
  readonly permissions: string;
  /** Of its first byte in the file. */
  readonly offset: number;
  /** In memory. */
  readonly resident: number;
  /** Pages that this process has changed: they are no longer the file's. Undefined where the system does not tell. */
  readonly anonymous: number | undefined;
  /** Changed pages that are in swap: they count neither as resident nor as anonymous. */
  readonly swapped: number | undefined;
}

const header = /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) ([0-9a-f]+) \S+ \d+ *(.*)$/gm;

/** @param file its name without folders. @returns its mappings, in the order of their addresses. */
export function mappingsOf(smaps: string, file: string): Mapping[] {
  const headers = [...smaps.matchAll(header)];
  return headers.flatMap(({ 0: line, 1: start = '', 2: end = '', 3: permissions = '', 4: offset = '', 5: name = '', index }, at) => {
    if (path.basename(name) !== file) return [];
    const fields = smaps.slice(index + line.length, headers[at + 1]?.index);
    return {
      start: Number.parseInt(start, 16),
      end: Number.parseInt(end, 16),
      permissions,
      offset: Number.parseInt(offset, 16),
      resident: bytesIn(fields, 'Rss') ?? 0,
      anonymous: bytesIn(fields, 'Anonymous'),
      swapped: bytesIn(fields, 'Swap'),
    };
  });
}

function bytesIn(fields: string, name: string): number | undefined {
  const kibibytes = new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(fields)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

/**
 * Whether all pages of a library's mapping are the file's own, so that the system can read each of them again: its code, and the constants
 * at its beginning. TRICKY: the loader writes addresses into other constants (RELRO) and then protects them like these, so permissions do
 * not tell; and a debugger or a probe writes into code.
 */
export function isPlainFile({ permissions, offset, anonymous, swapped }: Mapping): boolean {
  const isUnwritten = permissions === 'r-xp' || (permissions === 'r--p' && offset === 0);
  return isUnwritten && anonymous === 0 && swapped === 0;
}
