/** Types of `src/client` from the OpenAPI document: plain TypeScript that needs no other file but the filter's type. */

/**
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {string | readonly string[]} [type]
 * @property {string} [description]
 * @property {string} [pattern]
 * @property {Readonly<Record<string, Schema>>} [properties]
 * @property {readonly string[]} [required]
 * @property {Schema | boolean} [additionalProperties]
 * @property {Schema} [items]
 * @property {readonly unknown[]} [enum]
 * @property {unknown} [const]
 * @property {readonly Schema[]} [oneOf]
 * @property {readonly Schema[]} [anyOf]
 * @property {readonly Schema[]} [allOf]
 *
 * @typedef {{ name: string, in: string, required?: boolean, schema: Schema }} Parameter
 * @typedef {Readonly<Record<string, { schema: Schema }>>} Content
 * @typedef {Readonly<Record<string, Schema>>} Schemas
 *
 * @typedef {object} Operation
 * @property {readonly string[]} tags
 * @property {readonly Parameter[]} [parameters]
 * @property {{ required?: boolean, content: Content }} [requestBody]
 * @property {Readonly<Record<string, { content?: Content }>>} responses
 *
 * @typedef {object} Document
 * @property {readonly { name: string }[]} tags
 * @property {Readonly<Record<string, Readonly<Record<string, Operation>>>>} paths
 * @property {{ schemas: Schemas }} components
 */

/** Schemas whose types are written by hand. @type {Readonly<Record<string, string>>} */
const written = { FilterNode: 'Filter', UserFilterNode: 'UserFilter' };
const filterFile = '../filters/filter.ts';
/** Longer declarations have a file of their own. */
const longLines = 100;

const head = '/* Made from openapi.json by scripts/client.mjs; do not edit. */\n';

/**
 * @param {Document} document
 * @returns {ReadonlyMap<string, string>} the text of each file by its name: one for each tag with the schemas that come first in its
 * operations, and the endpoints
 */
export function clientTypes({ tags, paths, components: { schemas } }) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
  /** @type {Map<string, string>} */
  const homes = new Map();
  for (const { name: tag } of tags) {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag));
    for (const name of own.flatMap(({ operation }) => referencesOf(operation, schemas))) if (!homes.has(name)) homes.set(name, fileOf(tag));
  }
  const declarations = new Map([...homes.keys()].map((name) => [name, declarationOf(name, schemas[name] ?? {})]));
  for (const [name, text] of declarations) if (text.split('\n').length > longLines) homes.set(name, `types/${kebab(name)}.ts`);
  /** @type {Map<string, string>} */
  const files = new Map();
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

/** @param {string} tag */
function fileOf(tag) {
  return `types/${kebab(tag)}.ts`;
}

/** @param {string} name */
function kebab(name) {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])| /g, '-').toLowerCase();
}

/**
 * Failures are one class of the client.
 * @param {Operation} operation
 * @param {Schemas} schemas
 * @returns {readonly string[]} names of the schemas, each before those that it names itself
 */
function referencesOf({ requestBody, responses }, schemas) {
  /** @type {Set<string>} */
  const found = new Set();
  /** @param {unknown} value */
  const walk = (value) => {
    if (typeof value !== 'object' || value === null) return;
    const { $ref } = /** @type {Schema} */ (value);
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

/** @param {string} reference */
function nameOf(reference) {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/**
 * The data of an envelope; any other schema itself.
 * @param {Schema} schema
 * @returns {Schema}
 */
function answered(schema) {
  const { data, error } = schema.properties ?? {};
  if (data === undefined || error === undefined) return schema;
  return schema.description === undefined || data.$ref !== undefined ? data : { description: schema.description, ...data };
}

/** An envelope of a list of what has a name: the list needs none itself. @param {Schema} schema */
function isListAnswer(schema) {
  return answered(schema) !== schema && schema.properties?.['data']?.items?.$ref !== undefined;
}

/**
 * What stands in an envelope beside what every envelope has.
 * @param {Schema} schema
 * @returns {Schema | undefined}
 */
function extrasOf(schema) {
  const common = new Set(['data', 'error', 'warnings']);
  const own = Object.entries(schema.properties ?? {}).filter(([name]) => !common.has(name));
  return answered(schema) === schema || own.length === 0
    ? undefined
    : { type: 'object', properties: Object.fromEntries(own), required: schema.required ?? [], additionalProperties: false };
}

/**
 * @param {string} file
 * @param {string} body
 * @param {ReadonlyMap<string, string>} homes files of the schemas
 */
function fileText(file, body, homes) {
  const code = body.replaceAll(/\/\*\*.*?\*\//gs, '');
  /** @type {Map<string, string[]>} */
  const used = new Map();
  for (const [name, home] of [...homes, ...Object.values(written).map((type) => /** @type {const} */ ([type, filterFile]))]) {
    if (home === file || !new RegExp(String.raw`(?<![\w'])${name}(?![\w'])`).test(code)) continue;
    const path = home === filterFile ? home : relative(file, home);
    used.set(path, [...(used.get(path) ?? []), name]);
  }
  const imports = [...used].map(([path, names]) => `import type { ${names.toSorted().join(', ')} } from '${path}';\n`).toSorted();
  return `${head}${imports.join('')}\n${body}`;
}

/**
 * @param {string} from
 * @param {string} to
 */
function relative(from, to) {
  return from.startsWith('types/') ? to.replace('types/', './') : `../${to}`;
}

/**
 * @param {string} name
 * @param {Schema} schema
 */
function declarationOf(name, schema) {
  const own = answered(schema);
  const isInterface = own.type === 'object' && Object.keys(own.properties ?? {}).length > 0;
  const text = typeOf(own, '');
  return `${commentOf(own, '')}export ${isInterface ? `interface ${name} ${text}` : `type ${name} = ${text};`}\n`;
}

/**
 * @param {Schema} schema
 * @param {string} indent
 */
function commentOf({ description }, indent) {
  return description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n`;
}

/**
 * @param {Schema} schema
 * @param {string} indent
 * @returns {string}
 */
function typeOf(schema, indent) {
  const { $ref, type, pattern, const: constant, enum: values } = schema;
  if ($ref !== undefined) return written[nameOf($ref)] ?? nameOf($ref);
  if (values !== undefined) return values.map((value) => literal(value)).join(' | ');
  if (constant !== undefined) return literal(constant);
  if (pattern !== undefined && type === 'string') return prefixed(pattern);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return unionOf(choices, indent);
  if (schema.allOf !== undefined) return intersectionOf(schema.allOf, indent);
  if (Array.isArray(type)) {
    const types = /** @type {readonly string[]} */ (type);
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

/** A text that begins with one of some words and a dot, where a pattern says so. @param {string} pattern */
function prefixed(pattern) {
  const words = /^\^\(\?:([\w|]+)\)\\\.$/.exec(pattern)?.[1]?.split('|');
  return words === undefined ? 'string' : words.map((word) => `\`${word}.\${string}\``).join(' | ');
}

/** @param {unknown} value */
function literal(value) {
  return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'` : JSON.stringify(value);
}

/**
 * @param {readonly Schema[]} schemas
 * @param {string} indent
 */
function unionOf(schemas, indent) {
  return [...new Set(schemas.map((each) => typeOf(each, indent)))].join(' | ');
}

/**
 * A part without a type of its own only describes.
 * @param {readonly Schema[]} schemas
 * @param {string} indent
 */
function intersectionOf(schemas, indent) {
  return schemas
    .map((each) => typeOf(each, indent))
    .filter((text) => text !== 'unknown')
    .map(grouped)
    .join(' & ');
}

/** @param {string} text */
function grouped(text) {
  return /^\w+$/.test(text) || text.startsWith('{') || text.startsWith('Readonly<') ? text : `(${text})`;
}

/**
 * @param {Schema} schema
 * @param {string} indent
 */
function objectOf({ properties, required = [], additionalProperties }, indent) {
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

/**
 * An interface of the endpoints of a tag: what each takes and what it answers.
 * @param {string} tag
 * @param {readonly { name: string, operation: Operation }[]} operations
 * @param {Schemas} schemas
 */
function endpointsText(tag, operations, schemas) {
  const rows = operations.map(({ name, operation }) => `  readonly '${name}': {\n${membersOf(operation, schemas)}  };\n`);
  const name = `${tag.replaceAll(' ', '')}Endpoints`;
  return `/** What each endpoint takes, and the data that it answers, by method and path. */\nexport interface ${name} {\n${rows.join('')}}\n`;
}

/**
 * @param {Operation} operation
 * @param {Schemas} schemas
 */
function membersOf(operation, schemas) {
  const { parameters = [] } = operation;
  const members = { ...parameterMembers(parameters), ...bodyMember(operation), ...answerMembers(operation, schemas) };
  return Object.entries(members)
    .map(([name, schema]) => `    readonly ${name}: ${typeOf(schema, '    ')};\n`)
    .join('');
}

/**
 * @param {readonly Parameter[]} parameters
 * @returns {Schemas}
 */
function parameterMembers(parameters) {
  const [path = [], query = []] = ['path', 'query'].map((place) => parameters.filter((each) => each.in === place));
  const queryName = query.some(({ required }) => required === true) ? 'query' : 'query?';
  return {
    ...(path.length === 0 ? {} : { path: parametersOf(path) }),
    ...(query.length === 0 ? {} : { [queryName]: parametersOf(query) }),
  };
}

/**
 * @param {Operation} operation
 * @returns {Schemas}
 */
function bodyMember({ requestBody }) {
  const [body] = Object.values(requestBody?.content ?? {});
  return body === undefined ? {} : { [requestBody?.required === false ? 'body?' : 'body']: body.schema };
}

/**
 * `data` of an envelope with its extras, else the `whole` JSON or a `stream`.
 * @param {Operation} operation
 * @param {Schemas} schemas
 * @returns {Schemas}
 */
function answerMembers({ responses }, schemas) {
  const [type = '', answer] = Object.entries(responses['200']?.content ?? {})[0] ?? [];
  if (answer === undefined) return {};
  const envelope = schemas[nameOf(answer.schema.$ref ?? '')] ?? answer.schema;
  if (answered(envelope) === envelope) return { [type === 'application/json' ? 'whole' : 'stream']: answer.schema };
  const extras = extrasOf(envelope);
  const isNamed = answer.schema.$ref !== undefined && !isListAnswer(envelope);
  return { data: isNamed ? answer.schema : answered(envelope), ...(extras === undefined ? {} : { extras }) };
}

/**
 * Numbers and flags of an address are written as text by the client.
 * @param {readonly Parameter[]} parameters
 * @returns {Schema}
 */
function parametersOf(parameters) {
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

/** @param {Schema} schema */
function isFlag({ enum: values }) {
  return values?.join() === 'true,false';
}
