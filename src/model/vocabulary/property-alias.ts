/** Under this name the prompt's identifier stands among the properties, where a client that reads it there has sent it. */
export const promptIdProperty = 'Svc-Prompt-Id';

/**
 * Property names of upstream's clients that also read one of ours. The record keeps what the session headers said among its properties under the
 * `Svc-` names, whatever prefix they were sent with; a filter may say `Helicone-` instead. A property that really has the upstream name wins over
 * the alias, so nothing stored is hidden. An update under an upstream name is one of ours.
 */
const aliases: ReadonlyMap<string, string> = new Map([
  ['Helicone-Session-Id', 'Svc-Session-Id'],
  ['Helicone-Session-Name', 'Svc-Session-Name'],
  ['Helicone-Session-Path', 'Svc-Session-Path'],
  ['Helicone-Session-Feedback', 'Svc-Session-Feedback'],
  ['Helicone-Prompt-Id', promptIdProperty],
]);

/** The name that is read when a record has no property of the given name, and that an update of it sets. */
export function aliasOf(propertyName: string): string | undefined {
  return aliases.get(propertyName);
}

const aliasedNames: ReadonlyMap<string, string> = new Map(Array.from(aliases, ([alias, ours]) => [ours, alias]));

/** Properties as they are shown: those of a call that named its session or its prompt by upstream's headers under upstream's names. */
export function shownProperties(properties: Readonly<Record<string, string>>, isAliased: boolean): Readonly<Record<string, string>> {
  if (!isAliased) return properties;
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => {
      const shown = aliasedNames.get(name);
      return [shown === undefined || Object.hasOwn(properties, shown) ? name : shown, value];
    }),
  );
}
