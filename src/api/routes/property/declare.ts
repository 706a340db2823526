import { z } from '@hono/zod-openapi';
import { declaredPropertySchema, wrongPropertyName } from '../../../contract/properties.ts';
import { GatelogError } from '../../../model/errors.ts';
import { type Endpoint, type EndpointCall, jsonContent, keyRequired, problems } from '../../endpoint.ts';

/** `PUT /v1/property/{name}` */
export const declareProperty: Endpoint = {
  declaration: {
    method: 'put',
    path: '/v1/property/{name}',
    operationId: 'declareProperty',
    summary: 'Declare the spelling of a property',
    description:
      'Many clients send header names in lower case. After `PUT /v1/property/Environment` the header `svc-property-environment` is stored as `Environment`. Declaring the name in another case replaces the spelling. Records that exist keep theirs.',
    security: keyRequired,
    request: {
      params: z.object({
        name: z
          .string()
          .openapi({ param: { name: 'name', in: 'path' }, description: 'The name as it is to be stored, 1 to 128 characters.' }),
      }),
    },
    responses: { 200: { description: 'Declared.', content: jsonContent(declaredPropertySchema) }, ...problems(422) },
  },
  action: 'update',
  handle: answerDeclare,
};

async function answerDeclare({ context, principal, ports }: EndpointCall): Promise<Response> {
  const name = context.req.param('name') ?? '';
  const wrong = wrongPropertyName(name);
  if (wrong !== undefined) throw new GatelogError('invalid_body', wrong, { details: { path: 'name' } });
  await ports.declareProperty(principal.organizationId, name);
  return context.json({ data: { name }, error: null });
}
