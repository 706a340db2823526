import { propertyParameters, propertyVisibilitySchema } from '../../../contract/properties.ts';
import { declaredPropertySchema, wrongDeclaredName } from '../../../contract/settings/properties.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readOptionalInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { nameInAddress, storedNameInAddress, wrongName } from './property-name.ts';
import { setVisibility } from './visibility.ts';

export const declareProperty: Endpoint = {
  declaration: {
    method: 'put',
    path: '/v1/property/{name}',
    operationId: 'declareProperty',
    summary: 'Declare the spelling of a property, hide or restore it',
    description:
      'Many clients send header names in lower case. After `PUT /v1/property/Environment` the header `svc-property-environment` is stored as `Environment`. Declaring the name in another case replaces the spelling, and the answer names the one that held before. Records that exist keep theirs. With the body `{"hidden": true}` the name is left out of the list of properties instead, with `{"hidden": false}` it comes back; records and filters stay as they are.',
    security: keyRequired,
    request: { params: propertyParameters, body: { required: false, content: jsonContent(propertyVisibilitySchema) } },
    responses: { 200: { description: 'Done.', content: jsonContent(declaredPropertySchema) }, ...problems(400, 413, 415, 422) },
  },
  action: 'update',
  handle: answerDeclare,
};

async function answerDeclare(call: RequestContext): Promise<Response> {
  const { context, principal, ports } = call;
  const { hidden } = await readOptionalInput(context, propertyVisibilitySchema);
  if (hidden !== undefined) {
    const name = storedNameInAddress(context.req.url);
    await setVisibility(call, name, hidden);
    return sendData(context, { name, replaced: null, hidden });
  }
  const name = nameInAddress(context.req.url);
  const wrong = wrongDeclaredName(name);
  if (wrong !== undefined) throw wrongName(wrong);
  const replaced = (await ports.declareProperty(principal.organizationId, name)) ?? null;
  return sendData(context, { name, replaced, hidden: (await ports.properties.hidden(principal.organizationId)).includes(name) });
}
