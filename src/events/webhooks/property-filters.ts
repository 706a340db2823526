import { isJsonObject } from '../../model/text.ts';

/** The short form of a condition on a property. */
export interface PropertyFilter {
  readonly key: string;
  readonly value: string;
}

/** A filter in which the short forms are conditions like any other; one that is there already is not added. */
export function withPropertyFilters(filter: unknown, given: readonly PropertyFilter[]): unknown {
  const existing = new Set(propertyFiltersOf(filter).map(nameOf));
  let combined = isEverything(filter) ? undefined : filter;
  for (const each of given) {
    if (existing.has(nameOf(each))) continue;
    existing.add(nameOf(each));
    const leaf = { request_response_rmt: { properties: { [each.key]: { equals: each.value } } } };
    combined = combined === undefined ? leaf : { left: combined, operator: 'and', right: leaf };
  }
  return combined ?? 'all';
}

/** The conditions of a filter that have the short form and must all hold. */
export function propertyFiltersOf(filter: unknown): readonly PropertyFilter[] {
  const found: PropertyFilter[] = [];
  // Not recursive: a filter may nest deeply.
  const left: unknown[] = [filter];
  while (left.length > 0) {
    const node = left.pop();
    if (!isJsonObject(node)) continue;
    if (node['operator'] === 'and') left.push(node['right'], node['left']);
    const short = shortFormOf(node);
    if (short !== undefined) found.push(short);
  }
  return found;
}

function shortFormOf(leaf: Readonly<Record<string, unknown>>): PropertyFilter | undefined {
  const properties = onlyMember(onlyMember(leaf, 'request_response_rmt'), 'properties');
  if (!isJsonObject(properties)) return undefined;
  const [key, ...others] = Object.keys(properties);
  if (key === undefined || others.length > 0) return undefined;
  const value = onlyMember(properties[key], 'equals');
  return typeof value === 'string' ? { key, value } : undefined;
}

function onlyMember(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isEverything(filter: unknown): boolean {
  return filter === undefined || filter === 'all' || (isJsonObject(filter) && Object.keys(filter).length === 0);
}

function nameOf({ key, value }: PropertyFilter): string {
  return JSON.stringify([key, value]);
}
