import { propertyListSchema, propertyNamesAnswerSchema } from '../../../contract/properties.ts';
import { wellFormed } from '../../../model/text.ts';
import { propertyListLimits } from '../../../model/vocabulary/limits.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { namesWith } from '../../page/stored-values.ts';
import { readOptionalInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';

const answers = {
  200: { description: 'The names.', content: jsonContent(propertyNamesAnswerSchema) },
  ...problems(400, 413, 415, 422, 504),
};

export const listProperties: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/property/query',
    operationId: 'listProperties',
    summary: 'List the names of properties',
    description: 'Names on any stored request, and declared ones; hidden ones are left out. With `searchTerm` those that contain it.',
    security: keyRequired,
    request: { body: { required: false, content: jsonContent(propertyListSchema) } },
    responses: answers,
  },
  action: 'read',
  handle: answerList,
};

export const listHiddenProperties: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/property/hidden/query',
    operationId: 'listHiddenProperties',
    summary: 'List the names of hidden properties',
    description: 'Names that are hidden, on record or not.',
    security: keyRequired,
    request: { body: { required: false, content: jsonContent(propertyListSchema) } },
    responses: answers,
  },
  action: 'read',
  handle: answerHidden,
};

async function answerList({ context, principal, ports }: RequestContext): Promise<Response> {
  const { searchTerm = '' } = await readOptionalInput(context, propertyListSchema);
  const term = wellFormed(searchTerm);
  const { organizationId } = principal;
  const [stored, declared, hidden] = await Promise.all([
    ports.storedValues.names(organizationId, propertyListLimits.names, term),
    ports.properties.declared(organizationId),
    ports.properties.hidden(organizationId),
  ]);
  const left = new Set(hidden);
  const names = [...new Set([...namesWith(declared, term), ...stored])].filter((name) => !left.has(name));
  return sendData(context, itemsOf(names.slice(0, propertyListLimits.names)));
}

async function answerHidden({ context, principal, ports }: RequestContext): Promise<Response> {
  const { searchTerm = '' } = await readOptionalInput(context, propertyListSchema);
  return sendData(context, itemsOf(namesWith(await ports.properties.hidden(principal.organizationId), wellFormed(searchTerm))));
}

function itemsOf(names: readonly string[]): readonly { readonly property: string }[] {
  return names.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))).map((property) => ({ property }));
}
