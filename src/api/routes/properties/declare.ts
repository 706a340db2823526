import { z } from '@hono/zod-openapi';
import { declaredPropertySchema, propertyNameSchema, wrongDeclaredName } from '../../../contract/settings/properties.ts';
import { GatelogError } from '../../../model/errors.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';

export const declareProperty: Endpoint = {
  declaration: {
    method: 'put',
    path: '/v1/property/{name}',
    operationId: 'declareProperty',
    summary: 'Declare the spelling of a property',
    description:
      'Many clients send header names in lower case. After `PUT /v1/property/Environment` the header `svc-property-environment` is stored as `Environment`. Declaring the name in another case replaces the spelling, and the answer names the one that held before. Records that exist keep theirs.',
    security: keyRequired,
    request: {
      params: z.object({
        name: propertyNameSchema.openapi({
          param: { name: 'name', in: 'path' },
          description: 'The name as it is to be stored, percent-encoded.',
        }),
      }),
    },
    responses: { 200: { description: 'Declared.', content: jsonContent(declaredPropertySchema) }, ...problems(413, 422) },
  },
  action: 'update',
  handle: answerDeclare,
};

async function answerDeclare({ context, principal, ports }: RequestContext): Promise<Response> {
  const name = nameIn(context.req.url);
  const wrong = wrongDeclaredName(name);
  if (wrong !== undefined) throw wrongName(wrong);
  const replaced = (await ports.declareProperty(principal.organizationId, name)) ?? null;
  return sendData(context, { name, replaced });
}

/** TRICKY: not from the router, which returns an undecodable name as it is. */
function nameIn(url: string): string {
  const encoded = url.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw wrongName('The name in the address is not percent-encoded UTF-8; write a literal % as %25.');
  }
}

function wrongName(sentence: string): GatelogError {
  return new GatelogError('invalid_parameter', sentence, { details: { path: 'name' } });
}
