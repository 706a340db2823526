import { bytes, endOfString, skipWhitespace } from '../json/scan.ts';
import { parseJson } from '../../model/text.ts';
import type { Readdress } from './reply-addresses.ts';

/** A longer address is passed as it is. */
const maxAddressBytes = 16 * 1024;
const none = Buffer.alloc(0);

/**
 * Replaces the addresses that are values of some members of a JSON text, as it passes. All other bytes stay. TRICKY: quotes within a string
 * are escaped, so a member's name with its quotes is no part of a text.
 */
export class AddressFilter {
  private readonly names: readonly Buffer[];
  private readonly readdress: Readdress;
  /** The start of what may become such a member. */
  private kept: Buffer = none;

  constructor(members: readonly string[], readdress: Readdress) {
    this.names = members.map((name) => Buffer.from(`"${name}"`));
    this.readdress = readdress;
  }

  pass(chunk: Buffer): Buffer {
    const json = this.kept.length === 0 ? chunk : Buffer.concat([this.kept, chunk]);
    const parts: Buffer[] = [];
    const nextName = namesIn(json, this.names);
    let passed = 0;
    let at = 0;
    for (;;) {
      const found = nextName(at);
      if (found === undefined) {
        this.kept = copied(json, Math.max(passed, this.startOfCutName(json, at)));
        break;
      }
      const value = stringAfter(json, found.end);
      if (value === 'cut' && json.length - found.start <= maxAddressBytes) {
        this.kept = copied(json, found.start);
        break;
      }
      at = found.end;
      if (value === 'cut' || value === undefined) continue;
      at = value.end;
      const replaced = this.replacement(json.subarray(value.start, value.end));
      if (replaced === undefined) continue;
      parts.push(json.subarray(passed, value.start), replaced);
      passed = value.end;
    }
    parts.push(json.subarray(passed, json.length - this.kept.length));
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }

  /** What is left at the end of the text. */
  rest(): Buffer | undefined {
    return this.kept.length === 0 ? undefined : this.kept;
  }

  /** Index from which the text may go on to be a name. */
  private startOfCutName(json: Buffer, from: number): number {
    const longest = Math.max(...this.names.map(({ length }) => length));
    for (let at = Math.max(from, json.length - longest + 1); at < json.length; at += 1) {
      const cut = json.subarray(at);
      if (this.names.some((name) => name.subarray(0, cut.length).equals(cut))) return at;
    }
    return json.length;
  }

  private replacement(written: Buffer): Buffer | undefined {
    const address = parseJson(`"${written.toString()}"`);
    const replaced = typeof address === 'string' ? this.readdress(address) : undefined;
    return replaced === undefined ? undefined : Buffer.from(JSON.stringify(replaced).slice(1, -1));
  }
}

interface FoundName {
  readonly start: number;
  readonly end: number;
}

/** Finds the next name at or after an index that never falls. Bytes are searched once for each name, however often another one occurs. */
function namesIn(json: Buffer, names: readonly Buffer[]): (from: number) => FoundName | undefined {
  const starts = new Map<Buffer, number>();
  return (from) => {
    let next: FoundName | undefined;
    for (const name of names) {
      let start = starts.get(name) ?? -1;
      if (start < from && start !== json.length) {
        const found = json.indexOf(name, from);
        start = found === -1 ? json.length : found;
        starts.set(name, start);
      }
      if (start < json.length && (next === undefined || start < next.start)) next = { start, end: start + name.length };
    }
    return next;
  };
}

/** The content of the string after a member's name; `cut`: the text ends before it does. */
function stringAfter(json: Buffer, nameEnd: number): { readonly start: number; readonly end: number } | 'cut' | undefined {
  const colon = skipWhitespace(json, nameEnd);
  if (colon >= json.length) return 'cut';
  if (json[colon] !== bytes.colon) return undefined;
  const quote = skipWhitespace(json, colon + 1);
  if (quote >= json.length) return 'cut';
  if (json[quote] !== bytes.quote) return undefined;
  const end = endOfString(json, quote + 1);
  return end === -1 ? 'cut' : { start: quote + 1, end };
}

/** Copied, so that a few bytes do not keep a whole chunk in memory. */
function copied(json: Buffer, start: number): Buffer {
  return start >= json.length ? none : Buffer.from(json.subarray(start));
}
