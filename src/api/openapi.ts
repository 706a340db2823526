import { OpenApiGeneratorV31, OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { endpoints } from './endpoints.ts';
import { openEndpoints } from './open-endpoints.ts';

/** The OpenAPI 3.1 document of the API, made from the declarations of its endpoints. @param version of the program. */
export function openApiDocument(version: string): object {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer', description: 'A Gatelog key.' });
  for (const { declaration } of [...endpoints, ...openEndpoints]) registry.registerPath(declaration);
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title: 'Gatelog', version, description: 'Query and change what the gateway has recorded.' },
  });
}
