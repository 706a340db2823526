import { bytesAt, type Member, objectAt, type ObjectSpan, openOfText, skipWhitespace, type Span } from '../json/scan.ts';
import { findModelField, type ModelField, rememberModelField } from '../json/model-field.ts';

/** A body over this size is gone through in a thread beside the event loop: 16 MiB that were made for it take 250 ms. */
export const scannedInlineMaxBytes = 1024 * 1024;

/** Where in a body that may be JSON all that stands which the gateway looks for. */
export interface BodyShape {
  /** Where its object begins, if it is one. */
  readonly open: number;
  readonly object: ObjectSpan | undefined;
  /** Nothing but white space stands behind the object. */
  readonly isWhole: boolean;
  readonly field: ModelField | undefined;
}

/** As it goes from thread to thread: four places a member. */
export interface PackedShape {
  readonly open: number;
  readonly end: number;
  readonly places: Uint32Array | undefined;
  readonly isWhole: boolean;
  readonly field: ModelField | undefined;
}

const known = new WeakMap<Buffer, BodyShape>();

/** The body has been gone through elsewhere. */
export function rememberShape(body: Buffer, shape: BodyShape): void {
  known.set(body, shape);
  rememberModelField(body, shape.field);
}

/** Goes through a body, once where that takes long. */
export function shapeOf(body: Buffer): BodyShape {
  return known.get(body) ?? { ...topObject(body), field: findModelField(body) };
}

/** As {@link shapeOf}, without the model. */
export function topObject(body: Buffer): Omit<BodyShape, 'field'> {
  const shape = known.get(body);
  if (shape !== undefined) return shape;
  const open = openOfText(body);
  const object = objectAt(body, open);
  return { open, object, isWhole: object !== undefined && skipWhitespace(body, object.end) === body.length };
}

/** The value of a member of the whole body, as `findMember` finds it. */
export function findTopMember(body: Buffer, name: string): Span | undefined {
  const wanted = Buffer.from(name);
  return topObject(body).object?.members.findLast((member) => bytesAt(body, member.name).equals(wanted))?.value;
}

/** A shape as few bytes, which another thread takes over at once. */
export function packShape({ open, object, isWhole, field }: BodyShape): PackedShape {
  const places = object === undefined ? undefined : Uint32Array.from(object.members.flatMap(placesOf));
  return { open, end: object?.end ?? 0, places, isWhole, field };
}

function placesOf({ name, value }: Member): readonly number[] {
  return [name.start, name.end, value.start, value.end];
}

/** What {@link packShape} was given. */
export function unpackShape({ open, end, places, isWhole, field }: PackedShape): BodyShape {
  if (places === undefined) return { open, object: undefined, isWhole, field };
  const members: Member[] = [];
  for (let at = 0; at < places.length; at += 4) {
    const [nameStart = 0, nameEnd = 0, start = 0, stop = 0] = places.subarray(at, at + 4);
    members.push({ name: { start: nameStart, end: nameEnd }, value: { start, end: stop } });
  }
  return { open, object: { members, end }, isWhole, field };
}

/**
 * A body with other bytes in a part of it, within a value; where it was gone through it need not be again.
 * @param model what the text says, where the part is the model's name.
 */
export function edited(body: Buffer, part: Span, text: string, model?: string): Buffer {
  const whole = Buffer.concat([body.subarray(0, part.start), Buffer.from(text), body.subarray(part.end)]);
  const shape = known.get(body);
  if (shape === undefined) return whole;
  const by = whole.length - body.length;
  const after = moved(shape, part, by);
  rememberShape(whole, model === undefined ? after : { ...after, field: { start: part.start, end: part.end + by, text: model } });
  return whole;
}

/** A body with a member more before all others. @param text with the comma behind it. */
export function withFirstMember(body: Buffer, name: string, value: string): Buffer {
  const { open } = topObject(body);
  const at = open + 1;
  const text = `"${name}":${value},`;
  const whole = Buffer.concat([body.subarray(0, at), Buffer.from(text), body.subarray(at)]);
  const shape = known.get(body);
  if (shape === undefined) return whole;
  const after = moved(shape, { start: at, end: at }, whole.length - body.length);
  const nameEnd = at + 1 + name.length;
  const first = { name: { start: at + 1, end: nameEnd }, value: { start: nameEnd + 2, end: nameEnd + 2 + value.length } };
  const object = after.object === undefined ? undefined : { ...after.object, members: [first, ...after.object.members] };
  rememberShape(whole, { ...after, object });
  return whole;
}

/** An object of some members of a body. */
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
  const whole = Buffer.concat([...parts, Buffer.from('}')]);
  if (known.has(body)) rememberShape(whole, { open: 0, object: { members: kept, end: whole.length }, isWhole: true, field: newField });
  return whole;
}

function shifted({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by };
}

/** What stands behind a part is so many bytes further on. */
function moved({ open, object, isWhole, field }: BodyShape, part: Span, by: number): BodyShape {
  const place = (at: number): number => (at >= part.end && at > part.start ? at + by : at);
  const span = ({ start, end }: Span): Span => ({ start: place(start), end: place(end) });
  return {
    open,
    object:
      object === undefined
        ? undefined
        : { members: object.members.map(({ name, value }) => ({ name: span(name), value: span(value) })), end: place(object.end) },
    isWhole,
    field: field === undefined ? undefined : { ...field, ...span(field) },
  };
}

/** The JSON text with the model's name replaced; every other byte stays. */
export function replaceModel(json: Buffer, field: ModelField, model: string): Buffer {
  return edited(json, field, JSON.stringify(model).slice(1, -1), model);
}
