type Read<Search> = (search: Readonly<Record<string, unknown>>) => Search;

/**
 * What a page reads of an address, and nothing else. TRICKY: the router lays what is read over what the address says, so that what could not be
 * read would stay; `undefined` leaves it out.
 */
export function strictSearch<Search extends object>(read: Read<Search>): Read<Search> {
  return (search) => ({ ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])), ...read(search) });
}

/** The same of two readers. */
export function strictSearchOf<First extends object, Second extends object>(
  first: Read<First>,
  second: Read<Second>,
): Read<First & Second> {
  return strictSearch((search) => ({ ...first(search), ...second(search) }));
}
