import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { RequestItem } from '../../src/contract/requests/item.ts';
import { eventually } from './eventually.ts';
import { testKey } from './process-tree.ts';

/** A response of the API, checked against the OpenAPI document. */
export interface ApiAnswer<Data> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly data: Data; readonly error: string | null; readonly code?: string; readonly details?: Record<string, unknown> };
}

interface OpenApiDocument {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, { readonly content?: Record<string, unknown> }>> }>>
    >
  >;
}

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenApiDocument;
const ajv = new Ajv2020({ strict: false, allErrors: true });
// A CommonJS package: the function is the default of its default export.
const addFormats = formats as unknown as (target: Ajv2020) => void;
addFormats(ajv);
ajv.addSchema({ $id: 'openapi.json', ...document });

/** A client of the API that checks every response against the committed OpenAPI document. */
export interface ApiClient {
  readonly call: <Data>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<ApiAnswer<Data>>;
  readonly query: (filter: unknown, rest?: Readonly<Record<string, unknown>>) => Promise<readonly RequestItem[]>;
  /** The request, as soon as it is visible. */
  readonly stored: (id: string, withinMs?: number) => Promise<RequestItem>;
}

export function apiClient(base: string, key: string = testKey): ApiClient {
  const call = async <Data>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswer<Data>> => {
    const response = await fetch(base + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const answer = (await response.json()) as ApiAnswer<Data>['body'];
    checkAnswer(method, path, response.status, answer);
    return { status: response.status, headers: response.headers, body: answer };
  };
  const query = async (filter: unknown, rest: Readonly<Record<string, unknown>> = {}): Promise<readonly RequestItem[]> => {
    const { status, body } = await call<readonly RequestItem[]>('POST', '/v1/request/query-clickhouse', { filter, ...rest });
    if (status !== 200) throw new Error(`query failed with ${status}: ${String(body.error)}`);
    return body.data;
  };
  return {
    call,
    query,
    stored: (id, withinMs) =>
      eventually(
        `request ${id} to be stored`,
        async () => {
          const { status, body } = await call<RequestItem>('GET', `/v1/request/${id}`);
          return status === 200 ? body.data : undefined;
        },
        withinMs,
      ),
  };
}

/** @throws when the OpenAPI document does not allow this response. An undocumented path or status may only have a `Problem`. */
function checkAnswer(method: string, path: string, status: number, answer: unknown): void {
  const declared = Object.keys(document.paths).find((template) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?', 1)[0] ?? ''),
  );
  const responses = declared === undefined ? undefined : document.paths[declared]?.[method.toLowerCase()]?.responses;
  if (responses !== undefined && responses[String(status)] === undefined) {
    throw new Error(`${method} ${path} answered ${status}, which the OpenAPI document does not name`);
  }
  const pointer =
    responses === undefined
      ? '/components/schemas/Problem'
      : `/paths/${escaped(declared ?? '')}/${method.toLowerCase()}/responses/${status}/content/${escaped('application/json')}/schema`;
  const validate = ajv.getSchema(`openapi.json#${pointer}`);
  if (validate === undefined) throw new Error(`no schema at ${pointer}`);
  if (validate(answer) !== true) {
    throw new Error(
      `${method} ${path} answered ${status} in another shape: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(answer).slice(0, 500)}`,
    );
  }
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
