/** Types of `src/client` from the OpenAPI document: plain TypeScript that needs no other file but the filter's type. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Operation {
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

export interface Document {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Schemas whose types are written by hand. */
const written: Readonly<Record<string, string>> = { FilterNode: 'Filter', UserFilterNode: 'UserFilter' };
const filterFile = '../filter.ts';
/** Longer declarations have a file of their own. */
const longLines = 100;

const head = '/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */\n';

/** @returns the text of each file by its name: one for each tag with the schemas that come first in its operations, and the endpoints. */
export function clientTypes({ tags, paths, components: { schemas } }: Document): ReadonlyMap<string, string> {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
  const homes = new Map<string, string>();
  for (const { name: tag } of tags) {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag));
    for (const name of own.flatMap(({ operation }) => referencesOf(operation, schemas))) if (!homes.has(name)) homes.set(name, fileOf(tag));
  }
  const declarations = new Map([...homes.keys()].map((name) => [name, declarationOf(name, schemas[name] ?? {})]));
  for (const [name, text] of declarations) if (text.split('\n').length > longLines) homes.set(name, `types/${kebab(name)}.ts`);
  const files = new Map<string, string>();
  for (const file of new Set(homes.values())) {
    const own = [...declarations].filter(([name]) => homes.get(name) === file);
    files.set(file, fileText(file, own.map(([, text]) => text).join('\n'), homes));
  }
  for (const { name: tag } of tags) {
    const file = `endpoints/${kebab(tag)}.ts`;
    const own = operations.filter(({ operation }) => operation.tags.includes(tag));
    files.set(file, fileText(file, endpointsText(tag, own, schemas), homes));
  }
  return files;
}

function fileOf(tag: string): string {
  return `types/${kebab(tag)}.ts`;
}

function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])| /g, '-').toLowerCase();
}

/** Names of the schemas of an operation, each before those that it names itself; failures are one class of the client. */
function referencesOf({ requestBody, responses }: Operation, schemas: Document['components']['schemas']): readonly string[] {
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { $ref } = value as Schema;
    if ($ref === undefined) {
      for (const member of Object.values(value)) walk(member);
      return;
    }
    const name = nameOf($ref);
    if (found.has(name) || name in written) return;
    const schema = schemas[name] ?? {};
    if (!isListAnswer(schema)) found.add(name);
    walk(answered(schema));
  };
  walk(requestBody?.content);
  walk(responses['200']?.content);
  return [...found];
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** The data of an envelope; any other schema itself. */
function answered(schema: Schema): Schema {
  const { data, error } = schema.properties ?? {};
  if (data === undefined || error === undefined) return schema;
  return schema.description === undefined || data.$ref !== undefined ? data : { description: schema.description, ...data };
}

/** An envelope of a list of what has a name: the list needs none itself. */
function isListAnswer(schema: Schema): boolean {
  return answered(schema) !== schema && schema.properties?.['data']?.items?.$ref !== undefined;
}

/** What stands in an envelope beside what every envelope has. */
function extrasOf(schema: Schema): Schema | undefined {
  const common = new Set(['data', 'error', 'warnings']);
  const own = Object.entries(schema.properties ?? {}).filter(([name]) => !common.has(name));
  return answered(schema) === schema || own.length === 0
    ? undefined
    : { type: 'object', properties: Object.fromEntries(own), required: schema.required ?? [], additionalProperties: false };
}

/** @param homes files of the schemas. */
function fileText(file: string, body: string, homes: ReadonlyMap<string, string>): string {
  const code = body.replaceAll(/\/\*\*.*?\*\//gs, '');
  const used = new Map<string, string[]>();
  for (const [name, home] of [...homes, ...Object.values(written).map((type) => [type, filterFile] as const)]) {
    if (home === file || !new RegExp(String.raw`(?<![\w'])${name}(?![\w'])`).test(code)) continue;
    const path = home === filterFile ? home : relative(file, home);
    used.set(path, [...(used.get(path) ?? []), name]);
  }
  const imports = [...used].map(([path, names]) => `import type { ${names.toSorted().join(', ')} } from '${path}';\n`).toSorted();
  return `${head}${imports.join('')}\n${body}`;
}

function relative(from: string, to: string): string {
  return from.startsWith('types/') ? to.replace('types/', './') : `../${to}`;
}

function declarationOf(name: string, schema: Schema): string {
  const own = answered(schema);
  const isInterface = own.type === 'object' && Object.keys(own.properties ?? {}).length > 0;
  const text = typeOf(own, '');
  return `${commentOf(own, '')}export ${isInterface ? `interface ${name} ${text}` : `type ${name} = ${text};`}\n`;
}

function commentOf({ description }: Schema, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n`;
}

function typeOf(schema: Schema, indent: string): string {
  const { $ref, type, pattern, const: constant, enum: values } = schema;
  if ($ref !== undefined) return written[nameOf($ref)] ?? nameOf($ref);
  if (values !== undefined) return values.map((value) => literal(value)).join(' | ');
  if (constant !== undefined) return literal(constant);
  if (pattern !== undefined && type === 'string') return prefixed(pattern);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return unionOf(choices, indent);
  if (schema.allOf !== undefined) return intersectionOf(schema.allOf, indent);
  if (Array.isArray(type)) {
    const types = type as readonly string[];
    return unionOf(
      types.map((each) => ({ ...schema, type: each })),
      indent,
    );
  }
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `readonly ${grouped(typeOf(schema.items ?? {}, indent))}[]`;
    case 'object':
      return objectOf(schema, indent);
    default:
      return 'unknown';
  }
}

/** A text that begins with one of some words and a dot, where a pattern says so. */
function prefixed(pattern: string): string {
  const words = /^\^\(\?:([\w|]+)\)\\\.$/.exec(pattern)?.[1]?.split('|');
  return words === undefined ? 'string' : words.map((word) => `\`${word}.\${string}\``).join(' | ');
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'` : JSON.stringify(value);
}

function unionOf(schemas: readonly Schema[], indent: string): string {
  return [...new Set(schemas.map((each) => typeOf(each, indent)))].join(' | ');
}

/** A part without a type of its own only describes. */
function intersectionOf(schemas: readonly Schema[], indent: string): string {
  return schemas
    .map((each) => typeOf(each, indent))
    .filter((text) => text !== 'unknown')
    .map(grouped)
    .join(' & ');
}

function grouped(text: string): string {
  return /^\w+$/.test(text) || text.startsWith('{') || text.startsWith('Readonly<') ? text : `(${text})`;
}

function objectOf({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  const isOpen = properties === undefined || Object.keys(properties).length === 0;
  if (isOpen && typeof additionalProperties === 'object') return `Readonly<Record<string, ${typeOf(additionalProperties, indent)}>>`;
  if (properties === undefined) return 'Readonly<Record<string, unknown>>';
  if (Object.keys(properties).length === 0) return 'Readonly<Record<string, never>>';
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, member]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`;
    const isRequired = required.includes(name);
    const type = typeOf(member, inner);
    return `${commentOf(member, inner)}${inner}readonly ${key}${isRequired ? '' : '?'}: ${type}${isRequired || type === 'unknown' ? '' : ' | undefined'};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}

interface NamedOperation {
  readonly name: string;
  readonly operation: Operation;
}

/** An interface of the endpoints of a tag: what each takes and what it answers. */
function endpointsText(tag: string, operations: readonly NamedOperation[], schemas: Document['components']['schemas']): string {
  const rows = operations.map(({ name, operation }) => `  readonly '${name}': {\n${membersOf(operation, schemas)}  };\n`);
  const name = `${tag.replaceAll(' ', '')}Endpoints`;
  return `/** What each endpoint takes, and the data that it answers, by method and path. */\nexport interface ${name} {\n${rows.join('')}}\n`;
}

function membersOf(operation: Operation, schemas: Document['components']['schemas']): string {
  const { parameters = [] } = operation;
  const members = { ...parameterMembers(parameters), ...bodyMember(operation), ...answerMembers(operation, schemas) };
  return Object.entries(members)
    .map(([name, schema]) => `    readonly ${name}: ${typeOf(schema, '    ')};\n`)
    .join('');
}

type Members = Readonly<Record<string, Schema>>;

function parameterMembers(parameters: readonly Parameter[]): Members {
  const [path, query] = ['path', 'query'].map((place) => parameters.filter((each) => each.in === place)) as [Parameter[], Parameter[]];
  const queryName = query.some(({ required }) => required === true) ? 'query' : 'query?';
  return {
    ...(path.length === 0 ? {} : { path: parametersOf(path) }),
    ...(query.length === 0 ? {} : { [queryName]: parametersOf(query) }),
  };
}

function bodyMember({ requestBody }: Operation): Members {
  const [body] = Object.values(requestBody?.content ?? {});
  return body === undefined ? {} : { [requestBody?.required === false ? 'body?' : 'body']: body.schema };
}

/** `data` of an envelope with its extras, else the `whole` JSON or a `stream`. */
function answerMembers({ responses }: Operation, schemas: Document['components']['schemas']): Members {
  const [type = '', answer] = Object.entries(responses['200']?.content ?? {})[0] ?? [];
  if (answer === undefined) return {};
  const envelope = schemas[nameOf(answer.schema.$ref ?? '')] ?? answer.schema;
  if (answered(envelope) === envelope) return { [type === 'application/json' ? 'whole' : 'stream']: answer.schema };
  const extras = extrasOf(envelope);
  const isNamed = answer.schema.$ref !== undefined && !isListAnswer(envelope);
  return { data: isNamed ? answer.schema : answered(envelope), ...(extras === undefined ? {} : { extras }) };
}

/** Numbers and flags of an address are written as text by the client. */
function parametersOf(parameters: readonly Parameter[]): Schema {
  const isFlag = ({ enum: values }: Schema): boolean => values?.join() === 'true,false';
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, schema }) => [
        name,
        isFlag(schema) ? { type: 'boolean', ...(schema.description === undefined ? {} : { description: schema.description }) } : schema,
      ]),
    ),
    required: parameters.filter(({ required }) => required === true).map(({ name }) => name),
  };
}
