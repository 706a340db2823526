import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;
type Meta = Readonly<Record<string, unknown>>;

/** Stands for a schema that names itself, until it is written. */
const unfinished: JsonSchema = {};

/**
 * Writes zod's schemas as OpenAPI 3.1 does: what has an `id` once, under its name, elsewhere as a reference. What else `.meta` says of a schema
 * follows its keywords; a `type` in it takes their place. zod's own `toJSONSchema` says the same in other words (null as a choice, bounds of
 * whole numbers, patterns of formats), and twice where a reference is described.
 */
export class SchemaWriter {
  private readonly named = new Map<string, JsonSchema>();

  /** Schemas with a name, in the order in which they were met. */
  get components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(this.named);
  }

  /** @throws Error for a kind of schema that the contract has not had so far. */
  write(schema: z.ZodType): JsonSchema {
    const { id, ...meta } = metaOf(schema);
    if (typeof id !== 'string') return this.described(schema, meta);
    const reference = { $ref: `#/components/schemas/${id}` };
    const known = this.named.get(id) ?? this.component(id, schema);
    if (known === unfinished) return reference;
    const besides = Object.fromEntries(Object.entries(shownIn(meta)).filter(([name, value]) => !isDeepStrictEqual(value, known[name])));
    // `allOf` would refuse the null that the component refuses.
    if (takesNull(schema) && !takesNull(givenName(id, schema))) return { anyOf: [reference, { type: 'null' }], ...besides };
    return Object.keys(besides).length === 0 ? reference : { allOf: [reference, besides] };
  }

  /** Writes the schema to which the name was given, of which this one may be a described or nullable use. */
  private component(id: string, use: z.ZodType): JsonSchema {
    // Takes its place before the schemas that it names.
    this.named.set(id, unfinished);
    const schema = givenName(id, use);
    const { id: _, ...meta } = metaOf(schema);
    const component = this.described(schema, meta);
    this.named.set(id, component);
    return component;
  }

  private described(schema: z.ZodType, meta: Meta): JsonSchema {
    const said = { ...this.keywords(schema, meta), ...shownIn(meta) };
    return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  }

  private keywords(schema: z.ZodType, { type }: Meta): JsonSchema {
    if (type !== undefined) return { type };
    const isNullable = takesNull(schema);
    const { inner, standard } = unwrapped(schema);
    return this.ofKind(inner, { isNullable, standard });
  }

  private ofKind(schema: z.ZodType, { isNullable, standard }: Wrapping): JsonSchema {
    const def = defOf(schema);
    const typed = (type: string): JsonSchema => ({ type: isNullable ? [type, 'null'] : type });
    switch (def.type) {
      case 'null':
        return { type: 'null' };
      case 'unknown':
        return {};
      case 'boolean':
        return { ...typed('boolean'), default: standard };
      case 'string':
        return { ...typed('string'), ...textBounds(schema as z.ZodString), default: standard };
      case 'number':
        return {
          ...typed((schema as z.ZodNumber).format === 'safeint' ? 'integer' : 'number'),
          ...numberBounds(def.checks ?? []),
          default: standard,
        };
      case 'literal':
        return { ...typed(typeof def.values[0]), enum: [def.values[0]], default: standard };
      case 'enum':
        return { ...typed('string'), enum: [...Object.values(def.entries), ...(isNullable ? [null] : [])], default: standard };
      case 'array':
        return { ...typed('array'), items: this.write(def.element as z.ZodType), ...listBounds(def.checks ?? []), default: standard };
      case 'record':
        return { ...typed('object'), additionalProperties: this.write(def.valueType as z.ZodType), default: standard };
      case 'union':
        return { anyOf: this.choices(def.options as readonly z.ZodType[], isNullable), default: standard };
      case 'object':
        return this.object(def, typed('object'), standard);
      default:
        throw new Error(`The OpenAPI document cannot say what ${def.type} is: give the schema a type with .meta.`);
    }
  }

  private object({ shape, catchall }: z.core.$ZodObjectDef, typed: JsonSchema, standard: unknown): JsonSchema {
    const members = Object.entries(shape as Readonly<Record<string, z.ZodType>>);
    const properties = Object.fromEntries(members.map(([name, member]) => [name, this.write(member)]));
    const required = members.filter(([, member]) => !member.safeParse(undefined).success).map(([name]) => name);
    const others = catchall as z.ZodType | undefined;
    return {
      ...typed,
      properties,
      default: standard,
      ...(required.length === 0 ? {} : { required }),
      ...(others === undefined ? {} : { additionalProperties: others.def.type === 'never' ? false : this.write(others) }),
    };
  }

  private choices(options: readonly z.ZodType[], isNullable: boolean): readonly JsonSchema[] {
    const written = options.map((option) => this.write(option instanceof z.ZodNullable ? (option.unwrap() as z.ZodType) : option));
    const none = { type: 'null' };
    return isNullable && !written.some((one) => isDeepStrictEqual(one, none)) ? [...written, none] : written;
  }
}

function defOf(schema: z.core.$ZodType): z.core.$ZodTypes['_zod']['def'] {
  const { _zod: known } = schema as z.core.$ZodTypes;
  return known.def;
}

/** What stands around the kind of a schema. */
interface Wrapping {
  readonly isNullable: boolean;
  /** The value of one that is absent. */
  readonly standard: unknown;
}

/** Metadata of a schema and of those that it wraps; the outer wins, the inner comes first. `param` is for parameters alone. */
export function metaOf(schema: z.ZodType, outer: Meta = {}): Meta {
  const id = idOf(schema);
  const own: Meta = { ...z.globalRegistry.get(schema), ...(id === undefined ? {} : { id }) };
  const param = { ...(own['param'] as Meta | undefined), ...(outer['param'] as Meta | undefined) };
  const meta = { ...own, ...outer, ...(Object.keys(param).length === 0 ? {} : { param }) };
  const inner = innerOf(schema);
  return inner === undefined ? meta : metaOf(inner, meta);
}

/** TRICKY: zod leaves the `id` behind when a check or a description is added. */
function idOf(schema: z.core.$ZodType): string | undefined {
  const id = z.globalRegistry.get(schema)?.id;
  const { _zod: known } = schema;
  return id ?? (known.parent === undefined ? undefined : idOf(known.parent));
}

/** The schema to which a name was given, of which this one is a use. */
function givenName(id: string, use: z.ZodType): z.ZodType {
  if (z.globalRegistry.get(use)?.id === id) return use;
  const { _zod: known } = use;
  const from = (known.parent as z.ZodType | undefined) ?? innerOf(use);
  return from === undefined ? use : givenName(id, from);
}

function takesNull(schema: z.ZodType): boolean {
  return schema.safeParse(null).success;
}

function shownIn(meta: Meta): Meta {
  const { param: _, ...shown } = meta;
  return shown;
}

/** What an optional, nullable, changed schema reads at first. */
function innerOf(schema: z.ZodType): z.ZodType | undefined {
  const def = defOf(schema);
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return def.innerType as z.ZodType;
    case 'pipe':
      return def.in as z.ZodType;
    default:
      return undefined;
  }
}

function unwrapped(schema: z.ZodType): { readonly inner: z.ZodType; readonly standard: unknown } {
  const standard = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined;
  const inner = innerOf(schema);
  if (inner === undefined) return { inner: schema, standard };
  const further = unwrapped(inner);
  return { inner: further.inner, standard: standard ?? further.standard };
}

type Checks = readonly z.core.$ZodCheck[];

/** What a check asks for, by the names of its kind. */
interface Asked {
  readonly check: string;
  readonly format?: string;
  readonly pattern?: RegExp;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly inclusive?: boolean;
  readonly value?: number;
}

function askedBy(checks: Checks = []): readonly Asked[] {
  return checks.map(({ _zod: known }): Asked => known.def);
}

function listBounds(checks: Checks): JsonSchema {
  const asked = askedBy(checks);
  return {
    minItems: asked.find(({ check }) => check === 'min_length')?.minimum,
    maxItems: asked.find(({ check }) => check === 'max_length')?.maximum,
  };
}

function numberBounds(checks: Checks): JsonSchema {
  const bounds = askedBy(checks).flatMap(({ check, inclusive, value }): [string, unknown][] => {
    if (check === 'greater_than') return [[inclusive === true ? 'minimum' : 'exclusiveMinimum', value]];
    return check === 'less_than' ? [[inclusive === true ? 'maximum' : 'exclusiveMaximum', value]] : [];
  });
  return Object.fromEntries(bounds);
}

const formats: Readonly<Record<string, string>> = { uuid: 'uuid', email: 'email', url: 'uri' };

function textBounds({ minLength, maxLength, format, def }: z.ZodString): JsonSchema {
  return {
    minLength: minLength ?? undefined,
    maxLength: maxLength ?? undefined,
    format: formats[format ?? ''],
    pattern: askedBy(def.checks).find((asked) => asked.format === 'regex')?.pattern?.source,
  };
}
