import { OpenApiGeneratorV31, OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { healthSchema } from '../contract/answers.ts';
import { jsonContent } from './endpoint.ts';
import { endpoints } from './endpoints.ts';

/** The OpenAPI 3.1 document of the API, made from the declarations of its endpoints. */
export function openApiDocument(version: string): object {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer', description: 'A Gatelog key.' });
  for (const { declaration } of endpoints) registry.registerPath(declaration);
  for (const path of ['/healthz', '/readyz']) {
    registry.registerPath({
      method: 'get',
      path,
      summary: path === '/healthz' ? 'Whether the process is alive' : 'Whether the store answers and the ingest drains',
      responses: {
        200: { description: 'Yes.', content: jsonContent(healthSchema) },
        503: { description: 'No.', content: jsonContent(healthSchema) },
      },
    });
  }
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title: 'Gatelog', version, description: 'Query and change what the gateway has recorded.' },
  });
}
