import { readFileSync } from 'node:fs';

/** The parts of the OpenAPI document that the reference pages show. */
export interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly endpoints: readonly DocumentedEndpoint[];
  /** Names with descriptions, without duplicates. */
  readonly requestHeaders: readonly NamedDescription[];
  readonly responseHeaders: readonly NamedDescription[];
}

export type NamedDescription = readonly [name: string, description: string];

export interface DocumentedEndpoint {
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Example of the request body. */
  readonly example: unknown;
  readonly statuses: readonly string[];
  readonly isOpen: boolean;
}

interface Described {
  readonly description?: string;
}

interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly unknown[];
  readonly parameters?: readonly (Described & { readonly name: string; readonly in: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
  readonly responses: Readonly<Record<string, { readonly headers?: Readonly<Record<string, Described>> }>>;
}

interface Document {
  readonly tags: OpenApi['tags'];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export function readOpenApi(file: string): OpenApi {
  return openApiOf(JSON.parse(readFileSync(file, 'utf8')));
}

export function openApiOf(document: unknown): OpenApi {
  const { tags, paths } = document as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const parameters = operations.flatMap(({ operation }) => operation.parameters ?? []).filter((parameter) => parameter.in === 'header');
  const headers = operations.flatMap(({ operation }) =>
    Object.values(operation.responses).flatMap((response) => Object.entries(response.headers ?? {})),
  );
  return {
    tags,
    endpoints: operations.map(({ path, method, operation }) => ({
      method,
      path,
      tag: operation.tags[0] ?? '',
      summary: operation.summary,
      description: operation.description ?? '',
      example: Object.values(operation.requestBody?.content ?? {})[0]?.example,
      statuses: Object.keys(operation.responses),
      isOpen: operation.security.length === 0,
    })),
    requestHeaders: onceEach(parameters.map(({ name, description = '' }) => [name, description])),
    responseHeaders: onceEach(headers.map(([name, { description = '' }]) => [name, description])),
  };
}

function onceEach(rows: readonly NamedDescription[]): readonly NamedDescription[] {
  return [...new Map(rows)].toSorted(([one], [other]) => (one < other ? -1 : 1));
}
