/**
 * Limits of custom properties, the same for tagging headers and for updates: properties that one request or one update names, characters
 * (code points) of a name, bytes of a value in UTF-8. Both lengths are inclusive, and a name has at least one character.
 */
export const propertyLimits = { properties: 64, nameCharacters: 128, valueBytes: 8 * 1024 } as const;

/**
 * Bytes, in UTF-8, of the other texts that a record has from its caller or its provider. Identifiers are those of users, sessions, prompts, jobs, nodes,
 * experiments and responses, and names of models; inputs are all names and values of one prompt's together; a header is one that is recorded, an
 * address the path of a call or the base address that it names.
 */
export const textLimits = { identifierBytes: 8 * 1024, inputsBytes: 64 * 1024, headerBytes: 8 * 1024, addressBytes: 8 * 1024 } as const;

/** What one request may have of properties after its changes; bytes are those of names and values together, in UTF-8. */
export const requestPropertyLimits = { properties: 256, bytes: 1024 * 1024 } as const;

/** Bytes of these names and values. */
export function bytesOfProperties(values: ReadonlyMap<string, string>): number {
  let bytes = 0;
  for (const [name, value] of values) bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
  return bytes;
}

/**
 * @param what the name belongs to, at the start of a sentence.
 * @returns why a text is too short or too long to name a property or a score, undefined when it is neither.
 */
export function wrongNameLength(what: string, name: string): string | undefined {
  const characters = Array.from(name).length;
  if (characters >= 1 && characters <= propertyLimits.nameCharacters) return undefined;
  return `${what} has 1 to ${propertyLimits.nameCharacters} characters; this one has ${characters}.`;
}
/** Characters (code points) of a session's tag. */
export const maxSessionTag = 256;

/** Keys of providers that an organisation may store, and characters of each and of its name. */
export const providerKeyLimits = { keys: 100, keyCharacters: 4096, nameCharacters: 128 } as const;

/** Bytes of a body's text that filters look at, unless a setting says otherwise. */
export const defaultSearchMaxBytes = 1024 * 1024;

/** Characters of a text in a filter. No stored text that filters look at is longer. */
export const maxFilterValue = 1024 * 1024;

/**
 * Prompt inputs come as one header together with their values; their names have no limit of their own.
 * @param map field or sort key that holds names.
 * @returns why a filter or a sort cannot ask for this name, undefined when it can. No record has a longer one.
 */
export function overlongName(map: string, name: string): string | undefined {
  const most = map === 'values' ? maxFilterValue : propertyLimits.nameCharacters;
  // Characters are never more than UTF-16 units; only of a long name do they have to be counted.
  const characters = name.length <= most ? name.length : Array.from(name).length;
  return characters <= most ? undefined : `Names in \`${map}\` have at most ${most} characters; this one has ${characters}.`;
}
