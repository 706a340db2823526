import type { z } from 'zod';
import type { Declaration, DeclaredContent, DeclaredRequest, DeclaredResponse } from './declaration.ts';
import { metaOf, type SchemaWriter } from './schemas.ts';

type Paths = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** The `paths` of a document. */
export function pathsOf(declarations: readonly Declaration[], writer: SchemaWriter): Paths {
  const paths: Record<string, Record<string, object>> = {};
  for (const declaration of declarations) {
    (paths[declaration.path] ??= {})[declaration.method] = operationOf(declaration, writer);
  }
  return paths;
}

function operationOf(declaration: Declaration, writer: SchemaWriter): object {
  const { method: _method, path: _path, request = {}, responses, ...said } = declaration;
  const answers = Object.entries(responses).map(([status, response]) => [status, responseOf(response, writer)] as const);
  const parameters = [...(said.parameters ?? []), ...parametersOf(request, writer)];
  const { body } = request;
  return {
    ...said,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { ...body, content: contentOf(body.content, writer) } }),
    responses: Object.fromEntries(answers),
  };
}

function responseOf({ content, headers, ...said }: DeclaredResponse, writer: SchemaWriter): object {
  return {
    ...said,
    ...(headers === undefined ? {} : { headers }),
    ...(content === undefined ? {} : { content: contentOf(content, writer) }),
  };
}

function contentOf(content: DeclaredContent, writer: SchemaWriter): object {
  const entries = Object.entries(content).map(([type, { schema, ...said }]) => {
    return [type, { ...said, schema: isZod(schema) ? writer.write(schema) : schema }] as const;
  });
  return Object.fromEntries<object>(entries);
}

function isZod(schema: object): schema is z.ZodType {
  return '_zod' in schema;
}

function parametersOf({ params, query, headers }: DeclaredRequest, writer: SchemaWriter): readonly object[] {
  return [...parametersIn('path', params, writer), ...parametersIn('query', query, writer), ...parametersIn('header', headers, writer)];
}

function parametersIn(location: string, schema: z.ZodType | undefined, writer: SchemaWriter): readonly object[] {
  if (schema === undefined) return [];
  if (schema.def.type === 'pipe') return parametersIn(location, (schema as z.ZodPipe).in as z.ZodType, writer);
  return Object.entries((schema as z.ZodObject).shape as Readonly<Record<string, z.ZodType>>).map(([name, member]) => {
    const { description, param } = metaOf(member);
    return {
      schema: writer.write(member),
      required: !member.safeParse(undefined).success && !member.safeParse(null).success,
      ...(description === undefined ? {} : { description }),
      ...(param as object | undefined),
      name,
      in: location,
    };
  });
}
