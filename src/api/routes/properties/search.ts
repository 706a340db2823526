import { propertyParameters, propertySearchSchema, propertyValuesAnswerSchema } from '../../../contract/properties.ts';
import { wellFormed } from '../../../model/text.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
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
      200: { description: 'The values.', content: jsonContent(propertyValuesAnswerSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerSearch,
};

async function answerSearch({ context, principal, ports }: RequestContext): Promise<Response> {
  const { searchTerm } = await readInput(context, propertySearchSchema);
  const name = storedNameInAddress(context.req.url);
  return sendData(context, await ports.storedValues.search(principal.organizationId, name, wellFormed(searchTerm)));
}
