/**
 * Limits of custom properties, the same for tagging headers and for updates: properties that one request or one update names, characters
 * (code points) of a name, bytes of a value in UTF-8. Both lengths are inclusive, and a name has at least one character.
 */
export const propertyLimits = { properties: 64, nameCharacters: 128, valueBytes: 8 * 1024 } as const;

/** Characters (code points) of a session's tag. */
export const longestSessionTag = 256;

/** Bytes of a body's text that filters look at, unless a setting says otherwise. */
export const defaultSearchMaxBytes = 1024 * 1024;

/** Characters of a text in a filter. No stored text that filters look at is longer. */
export const longestFilterValue = 1024 * 1024;
