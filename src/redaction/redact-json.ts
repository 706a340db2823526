import type { Redactor } from './redactor.ts';

/**
 * Takes out of the texts of a JSON value what is found in them, names of members included; of numbers, those that are card numbers.
 * @returns the same value where nothing was found.
 * @throws RangeError for a value that nests some thousand levels deep.
 */
export function redactJson(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.text(value);
  if (typeof value === 'number') return redactor.number(value) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? redactList(value, redactor) : redactMembers(value, redactor);
}

function redactList(list: readonly unknown[], redactor: Redactor): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, value] of list.entries()) {
    const redacted = redactJson(value, redactor);
    if (redacted === value) continue;
    copy ??= [...list];
    copy[index] = redacted;
  }
  return copy ?? list;
}

function redactMembers(object: object, redactor: Redactor): object {
  const members: [string, unknown][] = Object.entries(object);
  const taken = new Map<string, number>();
  let changed = false;
  for (const member of members) {
    const [name, value] = member;
    member[0] = freeName(redactor.text(name), taken);
    member[1] = redactJson(value, redactor);
    changed ||= member[0] !== name || member[1] !== value;
  }
  // Also `__proto__` becomes a member like any other.
  return changed ? Object.fromEntries(members) : object;
}

/** Names that differed only in what was found must not become one. @param taken names with the last number that each was given. */
function freeName(name: string, taken: Map<string, number>): string {
  const last = taken.get(name);
  if (last === undefined) {
    taken.set(name, 1);
    return name;
  }
  taken.set(name, last + 1);
  return freeName(`${name} ${last + 1}`, taken);
}
