import { z } from 'zod';
import { isJsonObject, wellFormed } from '../../model/text.ts';
import { propertyLimits, wrongNameLength } from '../../model/vocabulary/limits.ts';
import { aliasOf } from '../../model/vocabulary/property-alias.ts';
import { bodyFault, type FaultPath, type Result, success } from '../../model/fault.ts';

/** Documents the name of a property; {@link wrongPropertyName} is the whole rule. */
export const propertyNameSchema = z.string().meta({ minLength: 1, maxLength: propertyLimits.nameCharacters });

// TRICKY: separate from its use, because the library's types know less of JSON Schema than its documents (`propertyNames`).
const propertyUpdateDocument = {
  description:
    'Property names with their values. Each is added or replaced, the others stay. A body of exactly `key` and `value` sets the one property that `key` names. `Helicone-Session-Id`, `-Name`, `-Path` and `-Feedback`, and `Helicone-Prompt-Id`, set the property that begins with `Svc-` instead.',
  example: { Environment: 'production' },
  minProperties: 1,
  maxProperties: propertyLimits.properties,
  propertyNames: { type: 'string', minLength: 1, maxLength: propertyLimits.nameCharacters },
  // A value's limit is in bytes, and no character has less than one.
  additionalProperties: {
    type: 'string',
    maxLength: propertyLimits.valueBytes,
    description: `At most ${propertyLimits.valueBytes} bytes of UTF-8.`,
  },
} as const;

/** Documents the body of a property update; {@link readPropertyUpdate} parses it. */
export const propertyUpdateSchema = z.record(z.string(), z.string()).meta({ id: 'PropertyUpdate', ...propertyUpdateDocument });

/** TRICKY: not parsed by the schema, because zod drops the name `__proto__`, which is a property name like any other. */
export function readPropertyUpdate(body: unknown): Result<ReadonlyMap<string, string>> {
  if (!isJsonObject(body)) {
    return bodyFault([], 'The body is an object of property names and strings, such as {"Environment": "production"}.');
  }
  const entries = Object.entries(body);
  if (entries.length === 0) return bodyFault([], 'Name at least one property, such as {"Environment": "production"}.');
  return readProperties(olderForm(entries) ?? entries, []);
}

type Entries = readonly (readonly [name: string, value: unknown])[];

/** Properties to set, under the names that are stored. @param path of their object in the body. */
export function readProperties(entries: Entries, path: FaultPath): Result<ReadonlyMap<string, string>> {
  if (entries.length > propertyLimits.properties) return bodyFault(path, tooManyProperties(entries.length));
  const properties = new Map<string, string>();
  for (const [name, value] of entries) {
    const sentence = wrongProperty(name, value);
    if (sentence !== undefined) return bodyFault([...path, name], sentence);
    const [ours, text] = [storedPropertyName(name), wellFormed(String(value))];
    if (properties.has(ours) && properties.get(ours) !== text) return bodyFault([...path, name], twoSpellings(ours));
    properties.set(ours, text);
  }
  return success(properties);
}

export function tooManyProperties(count: number): string {
  return `One update names at most ${propertyLimits.properties} properties; got ${count}.`;
}

/** The name under which a property is stored that a caller names so. */
export function storedPropertyName(name: string): string {
  return aliasOf(name) ?? wellFormed(name);
}

/** TRICKY: two names with unpaired surrogates may become one as well. */
function twoSpellings(name: string): string {
  return `\`${name}\` stands here under two spellings with different values; send one of them.`;
}

/** `{"key": name, "value": text}`: the form of upstream's clients for one property. */
function olderForm(entries: Entries): Entries | undefined {
  const { key, value } = Object.fromEntries(entries) as { readonly key?: unknown; readonly value?: unknown };
  return entries.length === 2 && typeof key === 'string' && typeof value === 'string' ? [[key, value]] : undefined;
}

function wrongProperty(name: string, value: unknown): string | undefined {
  const wrongName = wrongPropertyName(name);
  if (wrongName !== undefined) return wrongName;
  if (typeof value !== 'string') return "A property's value is a string; put other values in quotes.";
  const bytes = new TextEncoder().encode(value).length;
  return bytes > propertyLimits.valueBytes
    ? `A property's value has at most ${propertyLimits.valueBytes} bytes; this one has ${bytes}.`
    : undefined;
}

export const declaredPropertySchema = z
  .object({
    data: z.object({
      name: z.string().meta({ description: 'The name with the spelling that is stored from now on.' }),
      replaced: z
        .string()
        .nullable()
        .meta({ description: 'The other spelling that was declared until now, null when there was none.', example: 'environment' }),
      hidden: z.boolean().meta({ description: 'Whether lists leave the name out.' }),
    }),
    error: z.null(),
  })
  .meta({ id: 'DeclaredPropertyAnswer' });

/** @returns why a text cannot be a property's name; undefined when it can. */
export function wrongPropertyName(name: string): string | undefined {
  return wrongNameLength("A property's name", name);
}

/**
 * @returns why a name cannot be declared; undefined when it can. Declarations are for names from headers, which hold no control characters
 * and no name of white space alone.
 */
export function wrongDeclaredName(name: string): string | undefined {
  if (/\p{Cc}/u.test(name)) return "A declared property's name holds no control characters.";
  if (name !== '' && name.trim() === '') return "A declared property's name is more than white space.";
  return wrongPropertyName(name);
}
