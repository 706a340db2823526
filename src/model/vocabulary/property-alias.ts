/** The prompt's id as a property, kept for calls that named the prompt by upstream's header: their clients read it there. */
export const promptIdProperty = 'Svc-Prompt-Id';

/**
 * Property names of upstream's clients that also resolve to one of ours. The record stores session headers as properties under `Svc-`
 * names, whatever their prefix; a filter may use the `Helicone-` name. A property that really has the upstream name takes precedence, so
 * nothing stored is hidden. An update under an upstream name changes ours.
 */
const aliases: ReadonlyMap<string, string> = new Map([
  ['Helicone-Session-Id', 'Svc-Session-Id'],
  ['Helicone-Session-Name', 'Svc-Session-Name'],
  ['Helicone-Session-Path', 'Svc-Session-Path'],
  ['Helicone-Session-Feedback', 'Svc-Session-Feedback'],
  ['Helicone-Prompt-Id', promptIdProperty],
]);

/** The name to read when a record has no property of the given name, and to change in an update. */
export function aliasOf(propertyName: string): string | undefined {
  return aliases.get(propertyName);
}

const aliasedNames: ReadonlyMap<string, string> = new Map(Array.from(aliases, ([alias, ours]) => [ours, alias]));

/** The other name under which an item may show a property. */
export function otherShownName(propertyName: string): string | undefined {
  return aliases.get(propertyName) ?? aliasedNames.get(propertyName);
}

/** Properties for display. A call that named its session or prompt by upstream headers shows them under upstream names. */
export function shownProperties(properties: Readonly<Record<string, string>>, isAliased: boolean): Readonly<Record<string, string>> {
  if (!isAliased) return properties;
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => {
      const shown = aliasedNames.get(name);
      return [shown === undefined || Object.hasOwn(properties, shown) ? name : shown, value];
    }),
  );
}
