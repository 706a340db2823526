import type { Declaration } from '../openapi/declaration.ts';

/** Either kind of endpoint, reduced to its method and path. */
export interface AddressedPath {
  readonly declaration: Declaration;
}

/**
 * The methods of a declared path, in order of declaration: its own, and those of parameterised paths whose schemas accept it. `GET
 * /v1/session/query` reads the session `query`; no request can be called `query-clickhouse`.
 */
export function methodsAt(path: string, declared: readonly AddressedPath[]): readonly string[] {
  const methods = declared.filter(({ declaration }) => declaration.path === path || fits(path, declaration));
  return [...new Set(methods.map(({ declaration }) => declaration.method.toUpperCase()))];
}

function fits(path: string, { path: pattern, request }: AddressedPath['declaration']): boolean {
  const [parts, patternParts] = [path.split('/'), pattern.split('/')];
  if (parts.length !== patternParts.length) return false;
  const values: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const name = /^\{(\w+)\}$/.exec(patternParts[index] ?? '')?.[1];
    if (name !== undefined && !part.startsWith('{')) values[name] = part;
    else if (part !== patternParts[index]) return false;
  }
  return request?.params?.safeParse(values).success ?? false;
}
