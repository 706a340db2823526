import { z } from 'zod';
import type { GatelogError } from '../../model/errors.ts';
import { parseUuid, type Uuid } from '../../model/ids.ts';

/** A part of a path: how the document describes it, and how it is read. */
export interface PathParameter<Value> {
  readonly schema: z.ZodType;
  /** @throws GatelogError where the text cannot be one. */
  readonly read: (text: string) => Value;
}

/** The parameter `id` of a path. @param unknown the failure of a text that is no UUID. */
export function uuidParameter(description: string, unknown: () => GatelogError): PathParameter<Uuid> {
  return {
    schema: z.string().meta({ param: { name: 'id', in: 'path' }, description, format: 'uuid' }),
    read: (text) => {
      const id = parseUuid(text);
      if (id === undefined) throw unknown();
      return id;
    },
  };
}
