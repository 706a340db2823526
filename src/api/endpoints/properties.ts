import { unwrap } from '../../contract/fault.ts';
import {
  propertyOverTimeAnswerSchema,
  propertyOverTimeQuerySchema,
  topCostsAnswerSchema,
  topRequestsAnswerSchema,
  topValuesQuerySchema,
} from '../../contract/metrics/property.ts';
import {
  changedVisibilitySchema,
  namedPropertySchema,
  propertyInPath,
  propertyListSchema,
  propertyNamesAnswerSchema,
  propertySearchSchema,
  propertyValuesAnswerSchema,
  propertyVisibilitySchema,
} from '../../contract/properties.ts';
import { declaredPropertySchema, wrongDeclaredName } from '../../contract/settings/properties.ts';
import { GatelogError } from '../../model/errors.ts';
import { bodyFault } from '../../model/fault.ts';
import type { RawJson } from '../../model/json/raw.ts';
import { wellFormed } from '../../model/text.ts';
import { propertyListLimits, wrongNameLength } from '../../model/vocabulary/limits.ts';
import { aliasOf } from '../../model/vocabulary/property-alias.ts';
import { everything } from '../../query/filter/ast.ts';
import { maxRows, metricsRange } from '../../query/metrics/by-name.ts';
import { figureOf, textOf } from '../../query/metrics/cells.ts';
import { nameProbe } from '../../query/hints/hints.ts';
import { type DataOf, endpoint, type RequestContext } from '../endpoint/endpoint.ts';
import { hintHeader } from '../http/declared-responses.ts';
import { freshHeader } from '../page/fresh-until.ts';
import { explain } from '../page/headers.ts';
import { readNamedMetrics } from '../page/metrics-rows.ts';
import { namesWith } from '../parts/stored-values.ts';

/** TRICKY: read from the address after the body, because the router returns a name that cannot be decoded as it is. */
const name = { schema: propertyInPath, read: () => undefined };

/** What both lists of names share. */
const listed = {
  action: 'read',
  body: propertyListSchema,
  example: {},
  bodyIsOptional: true,
  answer: propertyNamesAnswerSchema,
  answered: 'The names.',
  errors: [400, 413, 415, 422, 504],
} as const;

/** What both lists of values with a figure share. */
const top = {
  text: 'Over the requests in the range that have the property: ten values, and `Other` for the rest of them together.',
  action: 'read',
  params: { name },
  body: topValuesQuerySchema,
  example: { timeFilter: { start: '2026-01-01', end: '2026-02-01' } },
  answered: 'The values.',
  headers: { ...hintHeader, ...freshHeader },
  errors: [400, 413, 415, 422, 504],
} as const;

const done = { ok: true } as const;

/** What hiding a name and showing it again share. */
const changed = {
  action: 'update',
  body: namedPropertySchema,
  example: { key: 'Environment' },
  answer: changedVisibilitySchema,
  answered: 'Done.',
  errors: [400, 413, 415, 422],
} as const;

export const properties = [
  endpoint({
    ...listed,
    at: 'POST /v1/property/query',
    id: 'listProperties',
    summary: 'List the names of properties',
    text: 'Names on any stored request, and declared ones; hidden ones are left out. With `searchTerm` those that contain it.',
    run: async ({ tenant, ports, body: { searchTerm = '' } }) => {
      const term = wellFormed(searchTerm);
      const [stored, declared, hidden] = await Promise.all([
        ports.storedValues.names(tenant, propertyListLimits.names, term),
        ports.properties.declared(tenant),
        ports.properties.hidden(tenant),
      ]);
      const left = new Set(hidden);
      const names = [...new Set([...namesWith(declared, term), ...stored])].filter((each) => !left.has(each));
      return itemsOf(names.slice(0, propertyListLimits.names));
    },
  }),
  endpoint({
    ...changed,
    at: 'POST /v1/property/hide',
    id: 'hideProperty',
    summary: 'Leave a property out of the list of properties',
    text: `Records and filters stay as they are. An organisation hides at most ${propertyListLimits.hidden} names.`,
    run: async (call) => {
      await setVisibility(call, storedName(call.body.key), true);
      return done;
    },
  }),
  endpoint({
    ...changed,
    at: 'POST /v1/property/restore',
    id: 'restoreProperty',
    summary: 'Show a hidden property in the list of properties again',
    text: 'A name that is not hidden stays as it is.',
    run: async (call) => {
      await setVisibility(call, storedName(call.body.key), false);
      return done;
    },
  }),
  endpoint({
    ...listed,
    at: 'POST /v1/property/hidden/query',
    id: 'listHiddenProperties',
    summary: 'List the names of hidden properties',
    text: 'Names that are hidden, on record or not.',
    run: async ({ tenant, ports, body: { searchTerm = '' } }) =>
      itemsOf(namesWith(await ports.properties.hidden(tenant), wellFormed(searchTerm))),
  }),
  endpoint({
    at: 'POST /v1/property/{name}/search',
    id: 'searchPropertyValues',
    summary: 'Search the values of a property',
    text: 'Values of the property on stored requests that contain the term, for completion as one types. Empty values are left out.',
    action: 'read',
    params: { name },
    body: propertySearchSchema,
    example: { searchTerm: 'prod' },
    answer: propertyValuesAnswerSchema,
    answered: 'The values.',
    headers: hintHeader,
    errors: [400, 413, 415, 422, 504],
    run: async (call) => {
      const { context, tenant, ports, body } = call;
      const property = storedNameInAddress(context.req.url);
      const values = await ports.storedValues.search(tenant, property, wellFormed(body.searchTerm));
      const probe = nameProbe({ tenant, filter: everything }, ports.knownNames, [property]);
      await explain(call, undefined, values.length > 0 || probe === undefined ? [] : [probe]);
      return values;
    },
  }),
  endpoint({
    ...top,
    at: 'POST /v1/property/{name}/top-costs/query',
    id: 'listTopPropertyCosts',
    summary: 'List the most expensive values of a property',
    answer: topCostsAnswerSchema,
    run: async (call) => (await topValues(call, 'cost', call.body.timeFilter)).map(([value, cost]) => ({ value, cost })),
  }),
  endpoint({
    ...top,
    at: 'POST /v1/property/{name}/top-requests/query',
    id: 'listTopPropertyRequests',
    summary: 'List the most frequent values of a property',
    answer: topRequestsAnswerSchema,
    run: async (call) => (await topValues(call, 'count', call.body.timeFilter)).map(([value, count]) => ({ value, count })),
  }),
  endpoint({
    at: 'POST /v1/property/properties/over-time',
    id: 'queryPropertyOverTime',
    summary: 'Query cost and requests of a property over time',
    text: 'By value and bucket of time, over the requests in the range that match and have the property.',
    action: 'read',
    body: propertyOverTimeQuerySchema,
    example: { propertyKey: 'Environment', dbIncrement: 'day' },
    answer: propertyOverTimeAnswerSchema,
    answered: 'The buckets.',
    headers: { ...hintHeader, ...freshHeader },
    errors: [400, 413, 415, 422, 504],
    run: async (call) => {
      const { body } = call;
      const property = storedName(body.propertyKey);
      const hasProperty = { request_response_rmt: { property_key: { equals: property } } };
      const { rows } = await readNamedMetrics(call, {
        metrics: ['cost', 'count'],
        groupBy: [{ property }],
        filter: { left: hasProperty, operator: 'and', right: body.userFilter ?? {} },
        ...metricsRange(body),
        limit: maxRows,
      });
      return rows.map((row) => ({
        property: textOf(row[`properties.${property}`]),
        total_cost: figureOf(row['cost']),
        request_count: figureOf(row['count']),
        created_at_trunc: textOf(row['time']),
      }));
    },
  }),
];

export const propertyDeclaration = endpoint({
  at: 'PUT /v1/property/{name}',
  id: 'declareProperty',
  summary: 'Declare the spelling of a property, hide or restore it',
  text: 'Many clients send header names in lower case. After `PUT /v1/property/Environment` the header `svc-property-environment` is stored as `Environment`. Declaring the name in another case replaces the spelling, and the answer names the one that held before. Records that exist keep theirs. With the body `{"hidden": true}` the name is left out of the list of properties instead, with `{"hidden": false}` it comes back; records and filters stay as they are.',
  action: 'update',
  params: { name },
  body: propertyVisibilitySchema,
  example: { hidden: true },
  bodyIsOptional: true,
  answer: declaredPropertySchema,
  answered: 'Done.',
  errors: [400, 413, 415, 422],
  run: async (call) => {
    const { context, tenant, ports, body } = call;
    if (body.hidden !== undefined) {
      const property = storedNameInAddress(context.req.url);
      await setVisibility(call, property, body.hidden);
      return { name: property, replaced: null, hidden: body.hidden };
    }
    const property = nameInAddress(context.req.url);
    const wrong = wrongDeclaredName(property);
    if (wrong !== undefined) throw wrongName(wrong);
    const replaced = (await ports.declareProperty(tenant, property)) ?? null;
    return { name: property, replaced, hidden: (await ports.properties.hidden(tenant)).includes(property) };
  },
});

function itemsOf(names: readonly string[]): DataOf<typeof propertyNamesAnswerSchema> {
  return names.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))).map((property) => ({ property }));
}

/** Values that are shown apart. */
const shownValues = 10;

interface Range {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

/** The values of a property with the greatest figures, then what the others make together. */
async function topValues(
  call: RequestContext,
  metric: 'cost' | 'count',
  range: Range | undefined,
): Promise<readonly (readonly [value: string, figure: number | RawJson<number>])[]> {
  const property = storedNameInAddress(call.context.req.url);
  const { rows, hasOthers } = await readNamedMetrics(call, {
    metrics: [metric],
    groupBy: [{ property }],
    filter: { request_response_rmt: { property_key: { equals: property } } },
    startTimeUnixMs: range?.start,
    endTimeUnixMs: range?.end,
    sort: { [metric]: 'desc' },
    limit: shownValues,
    other: true,
  });
  const shown = rows.filter((row) => row['other'] !== true || hasOthers);
  return shown.map((row) => [row['other'] === true ? 'Other' : textOf(row[`properties.${property}`]), figureOf(row[metric])]);
}

/** @throws GatelogError `invalid_body` when the organisation hides as many names as it may. */
async function setVisibility({ principal, ports }: RequestContext, property: string, isHidden: boolean): Promise<void> {
  if (!isHidden) return ports.properties.restore(principal.organizationId, property);
  if (await ports.properties.hide(principal.organizationId, property)) return undefined;
  const sentence = `An organisation hides at most ${propertyListLimits.hidden} properties; restore one first (POST /v1/property/restore).`;
  return unwrap(bodyFault([], sentence));
}

/** Where the name stands in an address, split at each slash: `http://host/v1/property/{name}/…`. */
const place = 5;

/** The property's name in an address. @throws GatelogError `invalid_parameter`. */
function nameInAddress(url: string): string {
  const encoded = url.split(/[?#]/, 1)[0]?.split('/')[place] ?? '';
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw wrongName('The name in the address is not percent-encoded UTF-8; write a literal % as %25.');
  }
}

/** The same as records have it: upstream's names of session and prompt are ours there. */
function storedNameInAddress(url: string): string {
  const property = nameInAddress(url);
  const wrong = wrongNameLength("A property's name", property);
  if (wrong !== undefined) throw wrongName(wrong);
  return storedName(property);
}

function storedName(property: string): string {
  return aliasOf(property) ?? wellFormed(property);
}

function wrongName(sentence: string): GatelogError {
  return new GatelogError('invalid_parameter', sentence, { details: { path: 'name' } });
}
