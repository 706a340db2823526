/**
 * Property names of upstream's clients that also read one of ours. The record keeps the session headers among its properties under the `Svc-`
 * names; a filter may say `Helicone-` instead. A property that really has the upstream name wins over the alias, so nothing stored is hidden.
 * An update under an upstream name is one of ours.
 */
const aliases: ReadonlyMap<string, string> = new Map([
  ['Helicone-Session-Id', 'Svc-Session-Id'],
  ['Helicone-Session-Name', 'Svc-Session-Name'],
  ['Helicone-Session-Path', 'Svc-Session-Path'],
  ['Helicone-Session-Feedback', 'Svc-Session-Feedback'],
]);

/** The name that is read when a record has no property of the given name, and that an update of it sets. */
export function aliasOf(propertyName: string): string | undefined {
  return aliases.get(propertyName);
}
