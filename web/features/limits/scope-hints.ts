import { nearestName } from '../../../src/model/nearest-name.ts';
import type { OnRecord } from '../../lib/on-record.ts';

/** What is said below a field: a sentence, and the text on record that was probably meant. */
export interface ScopeHint {
  readonly text: string;
  readonly instead?: string | undefined;
}

/** @param names of the properties on record; empty while they are not known. */
export function propertyHint(property: string, names: readonly string[]): ScopeHint | undefined {
  const name = property.trim();
  if (name === '' || names.length === 0 || names.includes(name)) return undefined;
  const other = names.find((one) => one.toLowerCase() === name.toLowerCase());
  if (other !== undefined) return { text: `Requests write it ${other}: names are case-sensitive in searches.`, instead: other };
  const near = nearestName(name, names);
  return { text: `No request has this property yet${near === undefined ? '.' : `; there is ${near}.`}`, instead: near };
}

/** @param known undefined while it is not known. */
export function valueHint(known: OnRecord | undefined): ScopeHint | undefined {
  if (known === undefined || known.isThere) return undefined;
  const { near } = known;
  if (near === undefined) return { text: 'No request of the last 30 days has this value.' };
  return { text: `No request of the last 30 days has this value; there is ${near}. Values are case-sensitive.`, instead: near };
}
