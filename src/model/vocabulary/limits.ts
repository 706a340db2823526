/**
 * Limits of custom properties, for tagging headers and updates alike: properties per request or update, characters (code points) of a
 * name, bytes of a value in UTF-8. Both lengths are inclusive; a name has at least one character.
 */
export const propertyLimits = { properties: 64, nameCharacters: 128, valueBytes: 8 * 1024 } as const;

/**
 * UTF-8 bytes of other texts from callers or providers. `identifierBytes` covers users, sessions, prompts, jobs, nodes, experiments,
 * responses and models; `inputsBytes` all names and values of one prompt; `headerBytes` a recorded header; `addressBytes` the path of a
 * call or the base address that it names.
 */
export const textLimits = { identifierBytes: 8 * 1024, inputsBytes: 64 * 1024, headerBytes: 8 * 1024, addressBytes: 8 * 1024 } as const;

/** Characters of the name of a program that makes calls, and of its version; of its user agent, as far as it is read. */
export const clientLimits = { nameCharacters: 64, userAgentCharacters: 1024 } as const;

/** Characters (code points) of a preview of a request or its answer, and the bytes in UTF-8 that so many may have. */
export const previewLimits = { characters: 200, bytes: 4 * 200 } as const;

/** Hidden properties of an organisation, and names in a list of properties. */
export const propertyListLimits = { hidden: 1000, names: 10_000 } as const;

/** Properties of one request after its changes; bytes of all names and values in UTF-8. */
export const requestPropertyLimits = { properties: 256, bytes: 1024 * 1024 } as const;

export function bytesOfProperties(values: ReadonlyMap<string, string>): number {
  let bytes = 0;
  for (const [name, value] of values) bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
  return bytes;
}

/**
 * Checks the length of a property's or a score's name. @param what the owner of the name, at the start of a sentence. @returns the fault,
 * or undefined.
 */
export function wrongNameLength(what: string, name: string): string | undefined {
  const characters = Array.from(name).length;
  if (characters >= 1 && characters <= propertyLimits.nameCharacters) return undefined;
  return `${what} has 1 to ${propertyLimits.nameCharacters} characters; this one has ${characters}.`;
}
/** In code points. */
export const maxSessionTag = 256;

/** Provider keys per organisation, characters of a key and of its name. */
export const providerKeyLimits = { keys: 100, keyCharacters: 4096, nameCharacters: 128 } as const;

/** Webhooks of an organisation. */
export const webhookLimits = { webhooks: 100 } as const;

/** Valid keys per organisation, characters of a key's name. */
export const apiKeyLimits = { keys: 1000, nameCharacters: 128 } as const;

/** Bytes of a body's text that filters search, unless a setting overrides it. */
export const defaultSearchMaxBytes = 1024 * 1024;

/** Characters of a text in a filter. No searched text is longer. */
export const maxFilterValue = 1024 * 1024;

/**
 * Names of prompt inputs have no limit of their own: they come in one header together with their values. @param map field or sort key that
 * holds names. @returns the fault, or undefined. No record has a longer name.
 */
export function overlongName(map: string, name: string): string | undefined {
  const max = map === 'values' ? maxFilterValue : propertyLimits.nameCharacters;
  // A text never has more code points than UTF-16 units, so only long names need counting.
  const characters = name.length <= max ? name.length : Array.from(name).length;
  return characters <= max ? undefined : `Names in \`${map}\` have at most ${max} characters; this one has ${characters}.`;
}
