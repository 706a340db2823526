import type { Endpoint } from './endpoint/endpoint.ts';
import { endpoints } from './endpoints.ts';
import { logPaths } from '../model/vocabulary/log-paths.ts';
import { openEndpoints } from './open-endpoints.ts';
import type { Declaration } from './openapi/declaration.ts';
import { pathsOf } from './openapi/operations.ts';
import { SchemaWriter } from './openapi/schemas.ts';

/** The OpenAPI 3.1 document, generated from the declarations of the endpoints. @param version of the program. @param basePath before all paths. */
export function openApiDocument(version: string, basePath = ''): object {
  const writer = new SchemaWriter();
  const declarations = [...endpoints.map(withWarnings), ...openEndpoints];
  const paths = pathsOf(
    declarations.map(({ declaration }) => withTag(declaration)),
    writer,
  );
  const schemas = writer.components;
  for (const schema of Object.values(schemas)) declareWarnings(schema);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatelog',
      version,
      description: 'Query and change what the gateway has recorded.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath || '/', description: "The origin that serves this document: the API's listener." }],
    tags: tags.map(({ name, description }) => ({ name, description })),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'A Gatelog key.' } },
      schemas,
      parameters: {},
    },
    paths,
    webhooks: {},
  };
}

/** In the order of the document. An endpoint has the first tag with a prefix of its path. */
const tags: readonly { readonly name: string; readonly description: string; readonly paths: readonly string[] }[] = [
  { name: 'Requests', description: 'Find and change single requests.', paths: ['/v1/request/', '/v1/evals/', '/v1/import'] },
  {
    name: 'Logs',
    description: 'Calls that did not pass through the gateway, as their senders tell of them.',
    paths: ['/v1/otlp/', '/v1/trace/', ...logPaths.keys()],
  },
  { name: 'Export', description: 'Take out what is recorded.', paths: ['/v1/export'] },
  { name: 'Jobs', description: 'Changes of many requests, with their progress.', paths: ['/v1/jobs'] },
  { name: 'Sessions', description: 'Requests that belong together.', paths: ['/v1/session/'] },
  { name: 'Properties', description: 'Names of properties with their case.', paths: ['/v1/property/'] },
  { name: 'Metrics', description: 'Figures of requests by any dimension, and over time.', paths: ['/v1/metrics/'] },
  {
    name: 'Prices',
    description: 'Models, their prices, and prices of your own.',
    paths: ['/v1/models', '/v1/public/model-registry/', '/v1/prices'],
  },
  { name: 'Simulations', description: 'What requests would have cost, and which a limit would have refused.', paths: ['/v1/simulations/'] },
  {
    name: 'Settings',
    description: 'Keys, limits, redaction and retention of the organisation.',
    paths: ['/v1/session-cookie', '/v1/api-keys', '/v1/provider-keys', '/v1/rate-limits', '/v1/redaction-rules', '/v1/retention'],
  },
  {
    name: 'People',
    description: 'Who signs in with accounts of an issuer, what they may do, and what was done.',
    paths: ['/v1/people', '/v1/invitations', '/v1/sign-in', '/v1/audit'],
  },
  {
    name: 'Webhooks',
    description: 'Events that are posted to an address as they happen, and the log of it.',
    paths: ['/v1/webhooks'],
  },
  {
    name: 'Alerts',
    description: 'Rules that notify channels when a metric passes a threshold.',
    paths: ['/v1/alerts', '/v1/incidents', '/v1/rules'],
  },
  {
    name: 'Dashboard',
    description: 'Saved views of pages, boards of charts, and the state of the service.',
    paths: ['/v1/views', '/v1/boards', '/v1/health'],
  },
  { name: 'Users', description: 'What users cost, and the erasure of one.', paths: ['/v1/user/'] },
  { name: 'Monitoring', description: 'Health, metrics and this document. They need no key.', paths: ['/'] },
];

function withTag(declaration: Declaration): Declaration {
  const tag = tags.find(({ paths }) => paths.some((begin) => declaration.path.startsWith(begin)));
  return { ...declaration, tags: [tag?.name ?? ''], security: declaration.security ?? [] };
}

const strictParameter = {
  name: 'Svc-Strict',
  in: 'header',
  required: false,
  description: 'With `true` a field that the endpoint does not know is 422; without it the field is ignored, with a warning.',
  schema: { type: 'string', enum: ['true', 'false'] },
} as const;

const warningHeader = {
  'svc-warning': { description: 'What of the call was ignored, such as a mistyped field.', schema: { type: 'string' } },
} as const;

/** Adds `Svc-Strict` and `svc-warning` to an endpoint that reads a body or query parameters. */
function withWarnings({ declaration }: Endpoint): { readonly declaration: Declaration } {
  if (declaration.request?.body === undefined && declaration.request?.query === undefined) return { declaration };
  const responses = Object.fromEntries(
    Object.entries(declaration.responses).map(([status, response]) => [
      status,
      status.startsWith('2') ? withHeader(response as Described) : response,
    ]),
  ) as Declaration['responses'];
  const parameters = [...(declaration.parameters ?? []), strictParameter] as Parameters;
  return { declaration: { ...declaration, parameters, responses } };
}

type Parameters = NonNullable<Declaration['parameters']>;

/** The used members of a response or a schema. */
interface Described {
  readonly properties?: object;
  readonly headers?: Readonly<Record<string, object>>;
}

function withHeader(response: Described): Described {
  return { ...response, headers: { ...response.headers, ...warningHeader } };
}

const warnings = {
  type: 'array',
  items: { type: 'string' },
  description: 'What may surprise about this answer, such as ignored fields or why it is empty; absent when there is nothing to say.',
} as const;

/** Every envelope may hold warnings beside `data` and `error`. */
function declareWarnings({ properties = {} }: Described): void {
  if ('data' in properties && 'error' in properties) Object.assign(properties, { warnings });
}
