/**
 * Limits of custom properties, the same for tagging headers and for updates: properties that one request or one update names, characters
 * (code points) of a name, bytes of a value in UTF-8. Both lengths are inclusive, and a name has at least one character.
 */
export const propertyLimits = { properties: 64, nameCharacters: 128, valueBytes: 8 * 1024 } as const;
