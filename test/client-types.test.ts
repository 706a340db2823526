import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { clientTypes, type Document } from '../scripts/client-types.mjs';

const head = '/* Made from openapi.json by scripts/client.mjs; do not edit. */\n';

/** An answer in the envelope. */
function answering(data: object): object {
  return { 200: { content: { 'application/json': { schema: enveloped(data) } } } };
}

function enveloped(data: object): object {
  return { type: 'object', properties: { data, error: { type: 'null' } }, required: ['data', 'error'] };
}

function reference(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

/** Types of operations with the tag `Pens`. */
function made(paths: object, schemas: object = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(clientTypes({ tags: [{ name: 'Pens' }], paths, components: { schemas } } as unknown as Document));
}

it('an endpoint has what it takes and the data that it answers, by its method and path', () => {
  const operation = {
    tags: ['Pens'],
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string', description: 'Of the pen.' } },
      { name: 'limit', in: 'query', schema: { type: 'integer' } },
      { name: 'dry', in: 'query', schema: { type: 'string', enum: ['true', 'false'] } },
      { name: 'svc-strict', in: 'header', schema: { type: 'string' } },
    ],
    requestBody: { required: false, content: { 'application/json': { schema: reference('NewPen') } } },
    responses: answering({ type: 'array', items: reference('Pen') }),
  };
  const pen = {
    type: 'object',
    description: 'A pen.',
    properties: { ink: { type: ['string', 'null'] }, kind: { enum: ['ball', 'fountain'] } },
    required: ['ink'],
  };
  const files = made(
    { '/pens/{id}': { put: operation } },
    { Pen: pen, NewPen: { allOf: [reference('Pen'), { description: 'A new one.' }] } },
  );
  expect(files).toEqual({
    'types/pens.ts': `${head}
export type NewPen = Pen;

/** A pen. */
export interface Pen {
  readonly ink: string | null;
  readonly kind?: 'ball' | 'fountain' | undefined;
}
`,
    'endpoints/pens.ts': `${head}import type { NewPen, Pen } from '../types/pens.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface PensEndpoints {
  readonly 'PUT /pens/{id}': {
    readonly path: {
      /** Of the pen. */
      readonly id: string;
    };
    readonly query?: {
      readonly limit?: number | undefined;
      readonly dry?: boolean | undefined;
    };
    readonly body?: NewPen;
    readonly data: readonly Pen[];
  };
}
`,
  });
});

it('an answer that is no envelope is whole, and one that is no JSON a stream', () => {
  const endpoints = made({
    '/pen': {
      get: {
        tags: ['Pens'],
        responses: { 200: { content: { 'application/json': { schema: { type: 'object', properties: { ok: { const: true } } } } } } },
      },
    },
    '/ink': { get: { tags: ['Pens'], responses: { 200: { content: { 'text/csv': { schema: { type: 'string' } } } } } } },
  })['endpoints/pens.ts'];
  expect(endpoints).toContain("'GET /pen': {\n    readonly whole: {\n      readonly ok?: true | undefined;\n    };\n");
  expect(endpoints).toContain("'GET /ink': {\n    readonly stream: string;\n");
});

it('a filter is the type that is written by hand', () => {
  const responses = answering({ type: 'null' });
  const requestBody = { required: true, content: { 'application/json': { schema: reference('Query') } } };
  const query = { type: 'object', properties: { filter: reference('FilterNode') }, required: ['filter'] };
  const types = made({ '/pens': { post: { tags: ['Pens'], requestBody, responses } } }, { Query: query, FilterNode: {} })['types/pens.ts'];
  expect(types).toBe(
    `${head}import type { Filter } from '../filters/filter.ts';\n\nexport interface Query {\n  readonly filter: Filter;\n}\n`,
  );
});

it('src/client holds what openapi.json says; node scripts/client.mjs writes it', () => {
  const files = clientTypes(JSON.parse(readFileSync('openapi.json', 'utf8')) as Document);
  const stale = [...files].filter(
    ([name, text]) => !existsSync(`src/client/${name}`) || readFileSync(`src/client/${name}`, 'utf8') !== text,
  );
  expect(stale.map(([name]) => name)).toEqual([]);
  const found = ['types', 'endpoints'].flatMap((folder) => readdirSync(`src/client/${folder}`).map((name) => `${folder}/${name}`));
  expect(found.filter((name) => !files.has(name))).toEqual(['types/made-by-npm-run-build.d.ts']);
});
