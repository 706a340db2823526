import { z } from 'zod';
import { GatelogError } from '../../model/errors.ts';
import { parseUuid, type RequestId } from '../../model/ids.ts';
import type { PathParameter } from './path-parameter.ts';

/** The identifier of a request in a path, accepted in any case. */
export const requestId: PathParameter<RequestId> = {
  schema: z
    .string()
    .refine((text) => parseUuid(text) !== undefined)
    .meta({
      param: { name: 'id', in: 'path' },
      description: 'Identifier of the request, the value of the response header svc-id.',
      format: 'uuid',
    }),
  read: (text) => {
    const id = parseUuid(text);
    if (id !== undefined) return id;
    throw new GatelogError('not_found', 'No such request: an identifier is a UUID, the value of the response header svc-id.');
  },
};
