import { propertyParameters, propertySearchSchema, propertyValuesAnswerSchema } from '../../../contract/properties.ts';
import { wellFormed } from '../../../model/text.ts';
import { everything } from '../../../query/filter/ast.ts';
import { nameProbe } from '../../../query/requests/hints.ts';
import { type Endpoint, hintHeader, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { explain } from '../../page/headers.ts';
import { storedNameInAddress } from './property-name.ts';

export const searchPropertyValues: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/property/{name}/search',
    operationId: 'searchPropertyValues',
    summary: 'Search the values of a property',
    description: 'Values of the property on stored requests that contain the term, for completion as one types. Empty values are left out.',
    security: keyRequired,
    request: { params: propertyParameters, body: { required: true, content: jsonContent(propertySearchSchema) } },
    responses: {
      200: { description: 'The values.', headers: hintHeader, content: jsonContent(propertyValuesAnswerSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerSearch,
};

async function answerSearch(call: RequestContext): Promise<Response> {
  const { context, principal, ports } = call;
  const { searchTerm } = await readInput(context, propertySearchSchema);
  const name = storedNameInAddress(context.req.url);
  const values = await ports.storedValues.search(principal.organizationId, name, wellFormed(searchTerm));
  const probe = nameProbe({ tenant: principal.organizationId, filter: everything }, ports.knownNames, [name]);
  await explain(call, undefined, values.length > 0 || probe === undefined ? [] : [probe]);
  return sendData(context, values);
}
