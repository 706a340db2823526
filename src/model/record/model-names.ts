/** In lower case, without the maker's name before a slash. */
export function modelName(name: string): string {
  const lower = name.toLowerCase();
  return lower.slice(lower.lastIndexOf('/') + 1);
}

/** What names one state of a model: `-2025-09-29`, `@20250929`, `-08-2024`, `-06-05`, `-250615`, `-0613`, `-001`, `-v1:0`. */
const states = /^(?:[-@]\d{4}-?\d{2}-?\d{2}|-\d{2}-\d{4}|-\d{2}-\d{2}|-\d{6}|[-@]\d{3,4}|-v\d+(?:[.:]\d+)*){1,3}$/;
const latest = /[-:]latest$/;

/** Whether two names, none of them empty, are of one model: an alias, and the date or version by which a provider names a state of it. */
export function isSameModel(one: string, other: string): boolean {
  const [shorter = '', longer = ''] = [one, other]
    .map((name) => modelName(name).replace(latest, ''))
    .toSorted((some, others) => some.length - others.length);
  if (shorter === '' || !longer.startsWith(shorter)) return false;
  return longer.length === shorter.length || states.test(longer.slice(shorter.length));
}
