import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Filter } from '../../../src/client/client.ts';
import { condition, everything } from '../../../src/query/filter/ast.ts';
import { wildcardPattern } from '../../../src/query/language/conditions.ts';
import { fieldNamed, isFieldName } from '../../../src/query/language/fields.ts';
import { filterJson } from '../../../src/query/language/json.ts';
import { propertyNamesQuery } from '../../lib/property-names.ts';
import { storedName } from '../../lib/property-case.ts';
import { gatelog } from '../../lib/client.ts';
import type { Dimension } from '../../lib/metrics/dimensions.ts';
import { type Completion, matching, operatorsAt, type Writing, writtenName, writtenValue } from './completion.ts';

const shown = 10;
const typingMs = 150;

/** Names that searches use most; any other name of the language can be written as well. */
const fieldNames = [
  'model',
  'status',
  'user',
  'session',
  'session_name',
  'provider',
  'cost',
  'latency',
  'ttft',
  'ttfb',
  'tokens',
  'prompt_tokens',
  'completion_tokens',
  'failed',
  'failure_type',
  'client',
  'client_version',
  'streamed',
  'country',
  'path',
  'prompt',
  'prompt_version',
  'cached',
  'time',
  'feedback',
  'id',
] as const;

/** Fields whose values a query of metrics lists. */
const dimensionOfField: Readonly<Record<string, Dimension>> = {
  model: 'model',
  provider: 'provider',
  status: 'status',
  user: 'user',
  session: 'session',
  session_name: 'session_name',
  failure_type: 'failure_type',
  client: 'client',
  client_version: 'client_version',
  country: 'country',
  path: 'path',
  prompt: 'prompt',
  prompt_version: 'prompt_version',
};

const fields: readonly Completion[] = [
  ...fieldNames.map((name) => ({ title: name, about: fieldNamed(name).definition.description, text: `${name}:`, isOpen: true })),
  { title: 'has', about: 'The request has a property of this name.', text: 'has:', isOpen: true },
];

/** What could stand at the place where somebody writes. @param writing Undefined: nobody does. */
export function useCompletions(writing: Writing | undefined): readonly Completion[] {
  const { data: names } = useQuery({ ...propertyNamesQuery, enabled: writing !== undefined });
  const needed = writing === undefined ? undefined : neededFor(writing, names ?? []);
  const settled = useSettled(needed);
  const { data: found } = useQuery({
    queryKey: ['completion', 'values', settled],
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: settled === undefined ? skipToken : async ({ signal }) => ({ name: settled.name, values: await valuesOf(settled, signal) }),
  });
  if (writing === undefined) return [];
  const { prefix } = writing;
  const properties = (names ?? []).map((name) => ({
    title: name,
    about: 'property',
    text: `${writtenName(propertyName(name))}:`,
    isOpen: true,
  }));
  if (writing.kind === 'name') return prefix === '' ? fields.slice(0, shown) : matching([...properties, ...fields], prefix, shown);
  if (writing.name === 'has') return matching((names ?? []).map(valueCompletion), prefix, shown);
  const { family } = fieldNamed(writing.name).definition;
  // Values that are still those of the field before are not offered.
  const stored = found !== undefined && found.name === needed?.name ? found.values : [];
  const known = family === 'boolean' ? ['true', 'false'] : stored;
  return [...matching(known.map(valueCompletion), prefix, shown), ...operatorsAt(writing, family)];
}

/** A property that is called like a field is written with its prefix. */
function propertyName(name: string): string {
  return isFieldName(name) ? `properties.${name}` : name;
}

function valueCompletion(value: string): Completion {
  return { title: value, about: 'value', text: writtenValue(value), isOpen: false };
}

interface NeededValues {
  readonly name: string;
  readonly prefix: string;
}

/** @param names of the properties on record: one that is written in another case is meant all the same. */
function neededFor(writing: Writing, names: readonly string[]): NeededValues | undefined {
  if (writing.kind !== 'value' || writing.name === '' || writing.name === 'has') return undefined;
  const { name, prefix } = writing;
  const { reference } = fieldNamed(name);
  if (reference.name !== undefined && reference.field === 'properties') {
    const stored = storedName(reference.name, names);
    return { name: stored === undefined || stored === reference.name ? name : propertyName(stored), prefix };
  }
  return Object.hasOwn(dimensionOfField, name) ? { name, prefix } : undefined;
}

/** What is needed once nobody has typed for a moment. */
function useSettled(needed: NeededValues | undefined): NeededValues | undefined {
  const [settled, setSettled] = useState(needed);
  const { name, prefix } = needed ?? {};
  useEffect(() => {
    const timer = setTimeout(() => setSettled(name === undefined || prefix === undefined ? undefined : { name, prefix }), typingMs);
    return () => clearTimeout(timer);
  }, [name, prefix]);
  return settled;
}

async function valuesOf({ name, prefix }: NeededValues, signal: AbortSignal): Promise<readonly string[]> {
  const { reference, definition } = fieldNamed(name);
  if (reference.field === 'properties') return (await gatelog.properties.search(reference.name ?? name, prefix, { signal })).data;
  const dimension = dimensionOfField[name] ?? name;
  const containing = condition(reference, { family: 'text', operator: 'ilike', value: wildcardPattern(`*${prefix}*`) });
  const filter = filterJson(prefix === '' || definition.family !== 'text' ? everything : containing) as Filter;
  const query = { metrics: ['count'], groupBy: [dimension as 'model'], sort: { count: 'desc' }, limit: 50, filter } as const;
  const { data } = await gatelog.call('POST /v1/metrics/query', { body: query, signal });
  return data.flatMap((row) => {
    const value = row[dimension];
    return typeof value === 'number' || (typeof value === 'string' && value !== '') ? [String(value)] : [];
  });
}
