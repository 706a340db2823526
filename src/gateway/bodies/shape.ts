import { bytesAt, type Member, objectAt, type ObjectSpan, startOfValue, skipWhitespace, type Span } from '../json/scan.ts';
import { findModelField, type ModelField, rememberModelField } from '../json/model-field.ts';

/** Larger bodies are scanned in a thread: the worst 16 MiB take 250 ms. */
export const scannedInlineMaxBytes = 1024 * 1024;

/** Positions of everything that the gateway reads in a body that may be JSON. */
export interface BodyShape {
  /** Start of the object, if the body is one. */
  readonly open: number;
  readonly object: ObjectSpan | undefined;
  /** Only white space follows the object. */
  readonly isComplete: boolean;
  readonly field: ModelField | undefined;
}

/** For transfer between threads. */
export interface PackedShape {
  readonly open: number;
  readonly end: number;
  /** Four offsets per member. */
  readonly offsets: Uint32Array | undefined;
  readonly isComplete: boolean;
  readonly field: ModelField | undefined;
}

const known = new WeakMap<Buffer, BodyShape>();

/** Keeps the result of a scan in a thread. */
export function rememberShape(body: Buffer, shape: BodyShape): void {
  known.set(body, shape);
  rememberModelField(body, shape.field);
}

/** Scans a body, unless its shape is known. */
export function shapeOf(body: Buffer): BodyShape {
  return known.get(body) ?? { ...topObject(body), field: findModelField(body) };
}

/** As {@link shapeOf} without the model. */
export function topObject(body: Buffer): Omit<BodyShape, 'field'> {
  const shape = known.get(body);
  if (shape !== undefined) return shape;
  const open = startOfValue(body);
  const object = objectAt(body, open);
  return { open, object, isComplete: object !== undefined && skipWhitespace(body, object.end) === body.length };
}

export function findTopMember(body: Buffer, name: string): Span | undefined {
  const wanted = Buffer.from(name);
  return topObject(body).object?.members.findLast((member) => bytesAt(body, member.name).equals(wanted))?.value;
}

export function packShape({ open, object, isComplete, field }: BodyShape): PackedShape {
  const offsets = object === undefined ? undefined : Uint32Array.from(object.members.flatMap(offsetsOf));
  return { open, end: object?.end ?? 0, offsets, isComplete, field };
}

function offsetsOf({ name, value }: Member): readonly number[] {
  return [name.start, name.end, value.start, value.end];
}

export function unpackShape({ open, end, offsets, isComplete, field }: PackedShape): BodyShape {
  if (offsets === undefined) return { open, object: undefined, isComplete, field };
  const members: Member[] = [];
  for (let at = 0; at < offsets.length; at += 4) {
    const [nameStart = 0, nameEnd = 0, start = 0, stop = 0] = offsets.subarray(at, at + 4);
    members.push({ name: { start: nameStart, end: nameEnd }, value: { start, end: stop } });
  }
  return { open, object: { members, end }, isComplete, field };
}

/**
 * Replaces a part within a value. The shape of the result is derived from a known shape without a new scan.
 * @param model the decoded text, where the part is the model's name.
 */
export function edited(body: Buffer, part: Span, text: string, model?: string): Buffer {
  const changed = Buffer.concat([body.subarray(0, part.start), Buffer.from(text), body.subarray(part.end)]);
  const shape = known.get(body);
  if (shape === undefined) return changed;
  const by = changed.length - body.length;
  const after = moved(shape, part, by);
  rememberShape(changed, model === undefined ? after : { ...after, field: { start: part.start, end: part.end + by, text: model } });
  return changed;
}

/** Adds a member before all others. @param value JSON text. */
export function withFirstMember(body: Buffer, name: string, value: string): Buffer {
  const { open } = topObject(body);
  const at = open + 1;
  const text = `"${name}":${value},`;
  const changed = Buffer.concat([body.subarray(0, at), Buffer.from(text), body.subarray(at)]);
  const shape = known.get(body);
  if (shape === undefined) return changed;
  const after = moved(shape, { start: at, end: at }, changed.length - body.length);
  const nameEnd = at + 1 + name.length;
  const first = { name: { start: at + 1, end: nameEnd }, value: { start: nameEnd + 2, end: nameEnd + 2 + value.length } };
  const object = after.object === undefined ? undefined : { ...after.object, members: [first, ...after.object.members] };
  rememberShape(changed, { ...after, object });
  return changed;
}

export function withMembers(body: Buffer, members: readonly Member[]): Buffer {
  const parts: Buffer[] = [Buffer.from('{')];
  const kept: Member[] = [];
  const field = known.get(body)?.field;
  let newField: ModelField | undefined;
  let length = 1;
  for (const { name, value } of members) {
    if (kept.length > 0) {
      parts.push(Buffer.from(','));
      length += 1;
    }
    const by = length - (name.start - 1);
    kept.push({ name: shifted(name, by), value: shifted(value, by) });
    if (field !== undefined && field.start > value.start && field.end < value.end) newField = { ...field, ...shifted(field, by) };
    parts.push(bytesAt(body, { start: name.start - 1, end: value.end }));
    length += value.end - name.start + 1;
  }
  const changed = Buffer.concat([...parts, Buffer.from('}')]);
  if (known.has(body)) {
    rememberShape(changed, { open: 0, object: { members: kept, end: changed.length }, isComplete: true, field: newField });
  }
  return changed;
}

/**
 * A body of these top-level members alone, and of those whose names are written with escapes.
 * @returns undefined where the body is no object, or one of too many members.
 */
export function withMembersThatMayBe(body: Buffer, names: readonly string[]): Buffer | undefined {
  const { object, isComplete } = topObject(body);
  if (object === undefined || !isComplete) return undefined;
  const wanted = new Set(names);
  return withMembers(
    body,
    object.members.filter(({ name }) => {
      const written = bytesAt(body, name);
      return written.includes(backslash) || wanted.has(written.toString());
    }),
  );
}

const backslash = 0x5c;

function shifted({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by };
}

/** Shifts everything after a part. */
function moved({ open, object, isComplete, field }: BodyShape, part: Span, by: number): BodyShape {
  const shift = (at: number): number => (at >= part.end && at > part.start ? at + by : at);
  const span = ({ start, end }: Span): Span => ({ start: shift(start), end: shift(end) });
  return {
    open,
    object:
      object === undefined
        ? undefined
        : { members: object.members.map(({ name, value }) => ({ name: span(name), value: span(value) })), end: shift(object.end) },
    isComplete,
    field: field === undefined ? undefined : { ...field, ...span(field) },
  };
}

/** Every other byte stays. */
export function replaceModel(json: Buffer, field: ModelField, model: string): Buffer {
  return edited(json, field, JSON.stringify(model).slice(1, -1), model);
}
