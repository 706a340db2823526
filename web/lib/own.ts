/** The own member of an object by a name that somebody else chose: `constructor` and `__proto__` are members of every object. */
export function ownOf<Value>(members: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
