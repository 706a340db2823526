/** Header fields as Node's `rawHeaders` gives them: name, value, name, value, … in wire order and case. */
export type HeaderList = readonly string[];

/** A token (RFC 9110 §5.6.2), the syntax of field names and methods. */
export const fieldName = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;

/** The fields as pairs. The gateway's hot path does not use it, because it allocates one array per field. */
export function headerPairs(list: HeaderList): [name: string, value: string][] {
  return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? '']] : []));
}

/** The fields that `keep` accepts; it gets each name in lower case. */
export function filterHeaders(list: HeaderList, keep: (name: string, value: string) => boolean): string[] {
  const filtered: string[] = [];
  for (let index = 0; index + 1 < list.length; index += 2) {
    const name = list[index] ?? '';
    const value = list[index + 1] ?? '';
    if (keep(name.toLowerCase(), value)) filtered.push(name, value);
  }
  return filtered;
}

/** The values of every field of one name. @param name lower case. */
export function headerValues(list: HeaderList, name: string): string[] {
  return list.filter((_, index) => index % 2 === 1 && list[index - 1]?.toLowerCase() === name);
}

/** The value of a field, joined by commas where it occurs more than once; undefined where it does not occur. @param name lower case. */
export function headerValue(list: HeaderList, name: string): string | undefined {
  const values = headerValues(list, name);
  return values.length === 0 ? undefined : values.join(', ');
}
