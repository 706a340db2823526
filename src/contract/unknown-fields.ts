import { z } from 'zod';
import { nearestName } from '../model/nearest-name.ts';
import { isJsonObject } from '../model/text.ts';
import type { FaultPath } from '../model/fault.ts';

/** A field of a body that its schema lacks. */
export interface UnknownField {
  readonly path: FaultPath;
  /** The known field that the caller most likely meant. */
  readonly nearest: string | undefined;
}

/** Maximum reported fields. */
const maxFields = 10;

/** Fields of a body that its schema lacks, nested objects included. Objects with free names (a filter, properties) are skipped. */
export function unknownFields(schema: z.ZodType, body: unknown): readonly UnknownField[] {
  const found: UnknownField[] = [];
  collect(schema, body, [], found);
  return found;
}

function collect(schema: z.ZodType, value: unknown, path: FaultPath, found: UnknownField[]): void {
  const bare = unwrapped(schema);
  if (bare instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (found.length >= maxFields) return;
      collect(bare.element as z.ZodType, item, [...path, index], found);
    }
  }
  if (!(bare instanceof z.ZodObject) || !isJsonObject(value)) return;
  const shape = bare.shape as Readonly<Record<string, z.ZodType>>;
  for (const [name, member] of Object.entries(value)) {
    if (found.length >= maxFields) return;
    if (Object.hasOwn(shape, name)) collect(shape[name] as z.ZodType, member, [...path, name], found);
    else found.push({ path: [...path, name], nearest: nearestName(name, Object.keys(shape)) });
  }
}

/** The schema without its wrappers: optional, nullable, default, transform. */
function unwrapped(schema: z.ZodType): z.ZodType {
  let bare = schema;
  for (;;) {
    if (bare instanceof z.ZodOptional || bare instanceof z.ZodNullable || bare instanceof z.ZodDefault) bare = bare.unwrap() as z.ZodType;
    else if (bare instanceof z.ZodPipe) bare = bare.in as z.ZodType;
    else return bare;
  }
}
