import { unwrap } from '../../../contract/fault.ts';
import { changedVisibilitySchema, namedPropertySchema } from '../../../contract/properties.ts';
import { bodyFault } from '../../../model/fault.ts';
import { propertyListLimits } from '../../../model/vocabulary/limits.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { storedName } from './property-name.ts';

export const hideProperty = visibilityEndpoint('hide', {
  operationId: 'hideProperty',
  summary: 'Leave a property out of the list of properties',
  description: `Records and filters stay as they are. An organisation hides at most ${propertyListLimits.hidden} names.`,
});

export const restoreProperty = visibilityEndpoint('restore', {
  operationId: 'restoreProperty',
  summary: 'Show a hidden property in the list of properties again',
  description: 'A name that is not hidden stays as it is.',
});

function visibilityEndpoint(
  verb: 'hide' | 'restore',
  about: { readonly operationId: string; readonly summary: string; readonly description: string },
): Endpoint {
  return {
    declaration: {
      method: 'post',
      path: `/v1/property/${verb}`,
      ...about,
      security: keyRequired,
      request: { body: { required: true, content: jsonContent(namedPropertySchema) } },
      responses: { 200: { description: 'Done.', content: jsonContent(changedVisibilitySchema) }, ...problems(400, 413, 415, 422) },
    },
    action: 'update',
    handle: async (call) => {
      const { key } = await readInput(call.context, namedPropertySchema);
      await setVisibility(call, storedName(key), verb === 'hide');
      return sendData(call.context, { ok: true });
    },
  };
}

/** @throws GatelogError `invalid_body` when the organisation hides as many names as it may. */
export async function setVisibility({ principal, ports }: RequestContext, name: string, isHidden: boolean): Promise<void> {
  if (!isHidden) return ports.properties.restore(principal.organizationId, name);
  if (await ports.properties.hide(principal.organizationId, name)) return undefined;
  const sentence = `An organisation hides at most ${propertyListLimits.hidden} properties; restore one first (POST /v1/property/restore).`;
  return unwrap(bodyFault([], sentence));
}
