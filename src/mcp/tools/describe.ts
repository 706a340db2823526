import { z } from 'zod';
import type { GatelogClient, MetricsQuery } from '../../client/client.ts';
import { fieldGroups, type FieldDefinition } from '../../model/vocabulary/fields.ts';
import { operatorFamilies } from '../../model/vocabulary/operators.ts';
import { sessionSortKeys, sortKeys } from '../../model/vocabulary/sort.ts';
import { shared } from '../input/arguments.ts';
import { fitting, tokenLimits, tokensOf } from '../input/budget.ts';
import { grammar } from '../input/filter.ts';
import { timeText } from '../input/range.ts';
import { marksTokens, recordedPart } from '../answers/recorded.ts';
import { clippedCell, rounded } from '../answers/rows.ts';
import { defineTool, textResult, type ToolContext } from '../answers/tool.ts';

const topics = ['all', 'metrics', 'filters', 'properties'] as const;
const dayMs = 86_400_000;
/** Days of the top values. */
const countedDays = 30;
/** Values of each property, and of one that is named. */
const values = { ofEach: 5, ofOne: 50 } as const;
/** Properties whose values are counted in one call, and how many at once. */
const counted = { most: 20, atOnce: 4 } as const;

export const describe = defineTool({
  name: 'describe',
  title: 'Describe the record',
  description:
    'What there is to ask for: metrics, dimensions, fields and operators of filters, sort keys, names of custom properties. about "properties": each with its most frequent values; property: more values of one.',
  input: z.strictObject({
    about: z.enum(topics).optional(),
    property: z.string().optional().describe('Exact name'),
    maxTokens: shared.maxTokens,
  }),
  run: async ({ about = 'all', property, maxTokens = tokenLimits.standard }, context) => {
    if (property !== undefined) return textResult(await propertiesText([property], context, maxTokens), maxTokens);
    const { data } = await context.gatelog.properties.list({ signal: context.signal });
    const names = data.map(({ property: name }) => name);
    if (about === 'properties') return textResult(await propertiesText(names, context, maxTokens), maxTokens);
    const sections = [
      ...(about === 'filters' ? [] : [await metricsText(context)]),
      ...(about === 'metrics' ? [] : [filtersText()]),
      ...(about === 'all' ? [namesText(names)] : []),
      `Now: ${timeText(context.now())}. API: ${context.publicUrl}/openapi.json`,
    ];
    const shown = fitting(sections, maxTokens - tokensOf(narrower));
    return textResult([...sections.slice(0, shown), ...(shown < sections.length ? [narrower] : [])].join('\n'), maxTokens);
  },
});

const narrower = 'Cut to the budget of tokens: ask about "metrics", "filters" or "properties" alone.';

async function metricsText({ gatelog, signal }: ToolContext): Promise<string> {
  const { data } = await gatelog.metrics.describe({ signal });
  const units = grouped(data.metrics.map(({ name, unit }) => [unit, name]));
  return [
    'Metrics by unit:',
    ...Array.from(units, ([unit, metrics]) => `  ${unit}: ${metrics.join(', ')}`),
    `Dimensions of groupBy: ${data.dimensions.map(({ name }) => (typeof name === 'string' ? name : namedDimension(name))).join(', ')}`,
    `Intervals: ${data.intervals.join(', ')}`,
    'errors: requests that failed, by their status (but 499), by an error in the reply, or without a whole reply. status: 499 the client left, 502 the provider broke off, 0 no response. unpriced_count: calls of unknown cost.',
  ].join('\n');
}

function namedDimension(name: Readonly<Record<string, string>>): string {
  return Object.keys(name)
    .map((kind) => (kind === 'property' ? 'properties.NAME' : `${kind}s.NAME`))
    .join(', ');
}

function filtersText(): string {
  const groups = Object.entries<Readonly<Record<string, FieldDefinition>>>(fieldGroups).map(
    ([group, fields]) => `  ${group}: ${Array.from(byFamily(fields), ([family, names]) => `${family} ${names.join(' ')}`).join('; ')}`,
  );
  const operators = Object.entries(operatorFamilies).map(([family, names]) => `  ${family}: ${names.join(' ')}`);
  return [
    grammar,
    'Fields by group:',
    ...groups,
    'Operators:',
    ...operators,
    `Sort keys of requests: ${Object.keys(sortKeys).join(' ')}`,
    `Sort keys of sessions: ${Object.keys(sessionSortKeys).join(' ')}`,
  ].join('\n');
}

function byFamily(fields: Readonly<Record<string, FieldDefinition>>): ReadonlyMap<string, readonly string[]> {
  return grouped(Object.entries(fields).map(([name, { family, shape }]) => [shape === 'map' ? `${family} by name` : family, name]));
}

function grouped(named: readonly (readonly [kind: string, name: string])[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const [kind, name] of named) names.set(kind, [...(names.get(kind) ?? []), name]);
  return names;
}

/** Names in one answer about everything. */
const maxNames = 50;
/** Characters of a name or a value. */
const maxName = 256;

function namesText(names: readonly string[]): string {
  if (names.length === 0) return 'There are no custom properties.';
  const rest = names.length > maxNames ? `\n${names.length - maxNames} more names: ask about "properties".` : '';
  return `Custom properties:\n${recordedPart(JSON.stringify(clippedCell(names.slice(0, maxNames), maxName)))}${rest}`;
}

async function propertiesText(names: readonly string[], { gatelog, now, signal }: ToolContext, maxTokens: number): Promise<string> {
  if (names.length === 0) return 'There are no custom properties.';
  const asked = names.slice(0, counted.most);
  const limit = names.length === 1 ? values.ofOne : values.ofEach;
  const endTimeUnixMs = now();
  const range = { startTimeUnixMs: endTimeUnixMs - countedDays * dayMs, endTimeUnixMs };
  const lines: string[] = [];
  for (let at = 0; at < asked.length; at += counted.atOnce) {
    const some = asked.slice(at, at + counted.atOnce);
    lines.push(...(await Promise.all(some.map((name) => valuesLine(gatelog, { name, limit, timeFilter: range }, signal)))));
  }
  const shown = fitting(lines, maxTokens - tokensOf(valuesHead) - restTokens);
  const left = names.slice(shown);
  return [valuesHead, recordedPart(lines.slice(0, shown).join('\n')), ...restText(left)].join('\n');
}

/** Names that are not shown, as many as fit. */
function restText(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const texts = names.slice(0, maxNames).map((name) => JSON.stringify(clippedCell(name, maxName)));
  const some = texts.slice(0, fitting(texts, restNamesTokens));
  return [`${names.length} not shown, ask for one by "property":`, recordedPart(some.join('\n'))];
}

const valuesHead = `Custom properties with their most frequent values of ${countedDays} days, each as [value, requests, cost in USD]:`;
/** Of names that are not shown, without the line ends. */
const restNamesTokens = 120;
/** Of all that stands around the values. */
const restTokens = restNamesTokens + 2 * marksTokens + 50;

interface AskedValues {
  readonly name: string;
  readonly limit: number;
  readonly timeFilter: MetricsQuery['timeFilter'];
}

async function valuesLine(gatelog: GatelogClient, { name, limit, timeFilter }: AskedValues, signal: AbortSignal): Promise<string> {
  const { data } = await gatelog.metrics.query(
    {
      metrics: ['count', 'cost'],
      groupBy: [{ property: name }],
      filter: { request_response_rmt: { property_key: { equals: name } } },
      timeFilter,
      limit,
      other: true,
    },
    { signal },
  );
  const rows = data as readonly Readonly<Record<string, unknown>>[];
  const shown = rows
    .filter(({ other }) => other !== true)
    .map((row) => [clippedCell(row[`properties.${name}`], maxName), row['count'], rounded(row['cost'])]);
  const rest = rows.find(({ other }) => other === true)?.['count'];
  return `${JSON.stringify(clippedCell(name, maxName))}: ${JSON.stringify(shown)}${typeof rest === 'number' && rest > 0 ? ` and ${rest} requests with other values` : ''}`;
}
