import { type JsonObject, parseJson } from '../../model/text.ts';
import { bytes, bytesAt, byteOrderMarkBytes, objectAt, type ObjectSpan, skipWhitespace, type Span } from '../json/scan.ts';

/** A part of a text and its replacement. */
interface Edit extends Span {
  readonly text: string;
}

export interface ReplacedBody {
  /** Size of the body that `make` returns. */
  readonly bytes: number;
  readonly make: () => Buffer;
}

/**
 * The members of a JSON object, scanned once for all bodies that replace some of them. Other values keep the caller's bytes: parsing and
 * serializing them takes ten times as long and rounds numbers.
 */
export class MembersOfBody {
  private readonly body: Buffer;
  private readonly object: ObjectSpan;
  private readonly names: readonly string[];
  private readonly had: ReadonlySet<string>;

  private constructor(body: Buffer, object: ObjectSpan) {
    this.body = body;
    this.object = object;
    this.names = object.members.map(({ name }) => resolvedName(bytesAt(body, name)));
    this.had = new Set(this.names);
  }

  /** @returns undefined for a body that is not a JSON object, or has too many members. */
  static of(body: Buffer): MembersOfBody | undefined {
    const object = objectAt(body, skipWhitespace(body, byteOrderMarkBytes(body)));
    return object === undefined || skipWhitespace(body, object.end) < body.length ? undefined : new MembersOfBody(body, object);
  }

  /** Replaces every value of a given name; a new name is appended. */
  replace(members: JsonObject): ReplacedBody {
    const { body, object, names, had } = this;
    const texts = new Map<string, string>();
    const edits: Edit[] = [];
    object.members.forEach(({ value }, index) => {
      const name = names[index] ?? '';
      if (!Object.hasOwn(members, name)) return;
      const text = texts.get(name) ?? JSON.stringify(members[name]);
      texts.set(name, text);
      edits.push({ ...value, text });
    });
    const added = JSON.stringify(Object.fromEntries(Object.entries(members).filter(([name]) => !had.has(name)))).slice(1, -1);
    const at = object.end - 1;
    if (added !== '') edits.push({ start: at, end: at, text: names.length > 0 ? `,${added}` : added });
    const grown = edits.reduce((sum, { start, end, text }) => sum + Buffer.byteLength(text) - (end - start), 0);
    return { bytes: body.length + grown, make: () => edited(body, edits) };
  }
}

function edited(body: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of edits) {
    parts.push(body.subarray(at, start), Buffer.from(text));
    at = end;
  }
  return Buffer.concat([...parts, body.subarray(at)]);
}

/** Resolves escapes, as a parser does. */
function resolvedName(written: Buffer): string {
  const text = written.toString();
  if (!written.includes(bytes.backslash)) return text;
  const name = parseJson(`"${text}"`);
  return typeof name === 'string' ? name : text;
}
