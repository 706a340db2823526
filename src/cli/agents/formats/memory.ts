import { type Edit, isGroup } from './format.ts';

/** What is at a place; undefined: nothing. */
export function found(value: unknown, at: readonly (string | number)[]): unknown {
  let place = value;
  for (const name of at) {
    if (typeof name === 'number') place = Array.isArray(place) ? (place as readonly unknown[])[name] : undefined;
    else place = isGroup(place) && Object.hasOwn(place, name) ? place[name] : undefined;
  }
  return place;
}

/** A value after an edit, as every {@link Format} has to make it of the file's text. Groups on the way are made where there are none. */
export function edited(value: unknown, { at: [name, ...rest], value: to, insert }: Edit): unknown {
  if (name === undefined) return to;
  if (typeof name === 'number') {
    const list = [...(Array.isArray(value) ? (value as readonly unknown[]) : [])];
    if (insert === true && rest.length === 0) list.splice(name, 0, to);
    else if (to === undefined && rest.length === 0) list.splice(name, 1);
    else list[name] = edited(list[name], { at: rest, value: to, ...(insert === true ? { insert } : {}) });
    return list;
  }
  const group = isGroup(value) ? value : {};
  const inner = edited(group[name], { at: rest, value: to, ...(insert === true ? { insert } : {}) });
  const others = Object.entries(group).filter(([each]) => each !== name);
  if (inner === undefined) return Object.fromEntries(others);
  return Object.hasOwn(group, name)
    ? Object.fromEntries(Object.entries(group).map(([each, one]) => [each, each === name ? inner : one]))
    : Object.fromEntries([...others, [name, inner]]);
}
