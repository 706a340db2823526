import type { Names } from './group-text.ts';

/** Of an identifier, beside a name that several sessions have. */
const shownCharacters = 8;

/** Names of sessions by their identifiers; those that several have are told apart by the end of the identifier. */
export function distinctNames(names: Readonly<Record<string, string>>): Names {
  const counts = new Map<string, number>();
  for (const name of Object.values(names)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(Object.entries(names).map(([id, name]) => [id, counts.get(name) === 1 ? name : `${name} · ${endOf(id)}`]));
}

/** The end of an identifier: the beginning of one is often a time, and the same for many. */
function endOf(id: string): string {
  const characters = Array.from(id);
  return characters.length <= shownCharacters + 1 ? id : `…${characters.slice(-shownCharacters).join('')}`;
}
