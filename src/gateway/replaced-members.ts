import { type JsonObject, parseJson } from '../model/text.ts';
import { bytes, bytesAt, lengthOfMark, objectAt, type ObjectSpan, skipWhitespace, type Span } from './json-bytes.ts';

/** A part of a text, and what stands there instead. */
interface Edit extends Span {
  readonly text: Buffer;
}

/** A body with other values for some of its members, before it is made. */
export interface ReplacedBody {
  /** Of the body, once it is made. */
  readonly bytes: number;
  readonly make: () => Buffer;
}

/**
 * The members of a JSON object, found once, for all bodies that differ from it in some of them. Values that stay are the caller's bytes: to parse and write
 * them again takes ten times as long and rounds numbers.
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

  /** @returns undefined for a body that is no JSON object, or has more members than are looked at. */
  static of(body: Buffer): MembersOfBody | undefined {
    const object = objectAt(body, skipWhitespace(body, lengthOfMark(body)));
    return object === undefined || skipWhitespace(body, object.end) < body.length ? undefined : new MembersOfBody(body, object);
  }

  /** Each value of a name that is given is replaced, and a name that the body does not have comes behind its members. */
  replace(members: JsonObject): ReplacedBody {
    const { body, object, names, had } = this;
    const texts = new Map(Object.entries(members).map(([name, value]) => [name, Buffer.from(JSON.stringify(value))]));
    const edits: Edit[] = [];
    object.members.forEach(({ value }, index) => {
      const text = texts.get(names[index] ?? '');
      if (text !== undefined) edits.push({ ...value, text });
    });
    const added = [...texts].filter(([name]) => !had.has(name)).map(([name, text]) => `${JSON.stringify(name)}:${text.toString()}`);
    const at = object.end - 1;
    if (added.length > 0) edits.push({ start: at, end: at, text: Buffer.from((names.length > 0 ? ',' : '') + added.join(',')) });
    const grown = edits.reduce((sum, { start, end, text }) => sum + text.length - (end - start), 0);
    return { bytes: body.length + grown, make: () => edited(body, edits) };
  }
}

function edited(body: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of edits) {
    parts.push(body.subarray(at, start), text);
    at = end;
  }
  return Buffer.concat([...parts, body.subarray(at)]);
}

/** A member's name with its escapes resolved, as a parser reads it. */
function resolvedName(written: Buffer): string {
  const text = written.toString();
  if (!written.includes(bytes.backslash)) return text;
  const name = parseJson(`"${text}"`);
  return typeof name === 'string' ? name : text;
}
