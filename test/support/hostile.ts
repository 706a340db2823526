import * as fc from 'fast-check';
import { endpoints } from '../../src/api/endpoints.ts';
import { namedSortKeys, sortKeys } from '../../src/model/vocabulary/sort.ts';
import { type FieldDefinition, fieldGroups } from '../../src/model/vocabulary/fields.ts';
import { operatorFamilies, type OperatorFamily } from '../../src/model/vocabulary/operators.ts';
import { signalOf } from '../../src/model/vocabulary/log-paths.ts';

/** Texts that break naive handling of values in SQL, JSON, headers or regular expressions. */
const hostileTexts = [
  "' OR 1=1 --",
  "'; DROP TABLE requests; --",
  "\\'; SELECT * FROM bodies --",
  '`; TRUNCATE TABLE requests; --',
  ') OR org_id != 0 --',
  "x') UNION ALL SELECT * FROM requests --",
  '{tenant:UInt128}',
  '{p0:String}',
  "'], ['",
  '$1',
  '%',
  '_'.repeat(50),
  '%_'.repeat(200),
  '\\',
  '\\\\\\',
  '\u0000',
  '\u0000\'"`\\\n\r\t\b',
  '\ud800',
  '\u{1f600}',
  'İıßΣς',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'null',
  'NaN',
  '9'.repeat(400),
  '-1e309',
  '2026-13-45T99:99:99Z',
  '(((((((((((((((((((',
  'a'.repeat(20_000),
  '../../../etc/passwd',
  '${7*7}',
];

const hostileValues: readonly unknown[] = [
  null,
  true,
  [],
  [[]],
  {},
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  { equals: {} },
  { equals: [1] },
  { $ne: null },
  'all',
  '',
];

const groups = Object.entries<Readonly<Record<string, unknown>>>(fieldGroups);
const operators = [...new Set(Object.values<readonly string[]>(operatorFamilies).flat()), 'regex', '$gt', ''];

const text = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom('Team', 'x', '200'));
const value = fc.oneof(text, fc.constantFrom(...hostileValues), fc.double(), fc.integer());
const operator = fc.oneof(fc.constantFrom(...operators), text);
const operatorObject = fc.dictionary(operator, value, { minKeys: 1, maxKeys: 2 });

const leaf = fc.oneof(
  fc.constantFrom(...groups).chain(([group, fields]) =>
    fc.tuple(fc.oneof(fc.constantFrom(...Object.keys(fields)), text), operatorObject, text).map(([field, inner, name]) => ({
      [group]: { [field]: field === 'properties' || field.endsWith('scores') || field === 'search_properties' ? { [name]: inner } : inner },
    })),
  ),
  fc.tuple(fc.constantFrom('values', 'properties', 'session', 'nonsense'), text, operatorObject).map(([wrapper, name, inner]) => ({
    [wrapper]: { [name]: inner },
  })),
  value,
);

const { filter } = fc.letrec((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.record(
      { left: tie('filter'), operator: fc.oneof(fc.constantFrom('and', 'or'), value), right: tie('filter') },
      { requiredKeys: ['operator'] },
    ),
  ),
}));

const sortKey = fc.oneof(fc.constantFrom(...Object.keys(sortKeys), ...Object.keys(namedSortKeys), 'random'), text);
const sort = fc.oneof(
  fc.dictionary(sortKey, fc.oneof(fc.constantFrom('asc', 'desc'), value, fc.dictionary(text, fc.constantFrom('asc', 'desc'))), {
    maxKeys: 3,
  }),
  value,
);

const cursor = fc.oneof(
  text,
  fc
    .record({
      v: fc.constant(1),
      q: text,
      a: fc.oneof(text, fc.nat().map(String)),
      i: fc.oneof(text, fc.nat().map(String)),
      s: fc.array(text, { maxLength: 3 }),
    })
    .map((made) => Buffer.from(JSON.stringify(made)).toString('base64url')),
);

const query = fc.record(
  {
    filter,
    sort,
    cursor,
    offset: fc.oneof(fc.integer(), value),
    limit: fc.oneof(fc.integer({ min: 0, max: 50 }), value),
    isCached: value,
    includeInputs: value,
    requestIds: fc.oneof(fc.array(text, { maxLength: 5 }), value),
    timeFilter: fc.oneof(fc.record({ startTimeUnixMs: value, endTimeUnixMs: value }, { requiredKeys: [] }), value),
    startTimeUnixMs: fc.oneof(fc.double(), value),
    timezoneDifference: fc.oneof(fc.double({ min: -2000, max: 2000 }), value),
    search: value,
    nameEquals: value,
    nameContains: value,
    pSize: value,
    useInterquartile: value,
    rating: value,
    tag: value,
    scores: fc.oneof(fc.dictionary(text, value, { maxKeys: 3 }), value),
  },
  { requiredKeys: ['filter'] },
);

/** Valid values for each family of fields. */
const valueOfFamily: Readonly<Record<OperatorFamily, fc.Arbitrary<unknown>>> = {
  text: text.filter((chosen) => !/(?:^|[^\\])(?:\\\\)*\\$/.test(chosen) && chosen.length < 10_000),
  number: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
  timestamp: fc.oneof(fc.integer({ min: -1e15, max: 1e15 }), fc.constantFrom('2026-01-01', '1969-12-31T23:59:59.999Z')),
  boolean: fc.boolean(),
};

const fields: readonly (readonly [string, string, FieldDefinition])[] = groups.flatMap(([group, members]) =>
  Object.entries(members).map(([field, definition]) => [group, field, definition as FieldDefinition] as const),
);

const goodLeaf = fc
  .constantFrom(...fields)
  .chain(([group, field, { shape, family }]) =>
    fc
      .tuple(shape === 'key' ? fc.constant('equals') : fc.constantFrom(...operatorFamilies[family]), valueOfFamily[family], text)
      .map(([known, given, name]) => ({ [group]: { [field]: shape === 'map' ? { [name]: { [known]: given } } : { [known]: given } } })),
  );

const { goodFilter } = fc.letrec((tie) => ({
  goodFilter: fc.oneof(
    { depthSize: 'small' },
    goodLeaf,
    fc.record({ left: tie('goodFilter'), operator: fc.constantFrom('and', 'or'), right: tie('goodFilter') }),
  ),
}));

const direction = fc.constantFrom('asc', 'desc');
const goodSort = fc.oneof(
  fc.dictionary(fc.constantFrom(...Object.keys(sortKeys)), direction, { maxKeys: 2 }),
  fc.dictionary(fc.constantFrom(...Object.keys(namedSortKeys)), fc.dictionary(text, direction, { minKeys: 1, maxKeys: 2 }), { maxKeys: 2 }),
  fc.constant({ random: true }),
);

/** A valid query with hostile texts. */
const acceptedQuery = fc.record(
  {
    filter: goodFilter,
    sort: goodSort,
    offset: fc.nat({ max: 20 }),
    limit: fc.nat({ max: 20 }),
    includeInputs: fc.boolean(),
    requestIds: fc.array(fc.uuid(), { maxLength: 5 }),
    timeFilter: fc.record(
      { startTimeUnixMs: fc.double({ noNaN: true, noDefaultInfinity: true }), endTimeUnixMs: fc.integer() },
      { requiredKeys: [] },
    ),
    timezoneDifference: fc.double({ min: -1440, max: 1440, noNaN: true }),
    search: text,
    nameEquals: text,
    nameContains: text,
    pSize: fc.constantFrom('p50', 'p99.9'),
    useInterquartile: fc.boolean(),
  },
  { requiredKeys: ['filter', 'requestIds'] },
);

/** Nearly a webhook, or a time from which its deliveries are recovered; often a valid one with hostile texts. */
const hostileWebhook = fc.record(
  {
    destination: fc.oneof({ weight: 5, arbitrary: fc.constant('https://hooks.example.com/') }, text, value),
    name: fc.oneof(text, value),
    config: fc.record(
      {
        filter: fc.oneof({ weight: 3, arbitrary: goodFilter }, filter),
        propertyFilters: fc.oneof({ weight: 3, arbitrary: fc.array(fc.record({ key: text, value: text }), { maxLength: 3 }) }, value),
        sampleRate: fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 100 }) }, value),
        events: fc.oneof({ weight: 3, arbitrary: fc.constant(['request.completed', 'alert.resolved']) }, value),
      },
      { requiredKeys: [] },
    ),
    includeData: fc.oneof({ weight: 3, arbitrary: fc.boolean() }, value),
    enabled: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, value),
    since: fc.oneof({ weight: 3, arbitrary: fc.constantFrom('2026-01-31T12:00:00Z', 0) }, text, value),
  },
  { requiredKeys: ['destination', 'since'] },
);

const panel = fc.record(
  {
    title: fc.oneof({ weight: 4, arbitrary: fc.constant('Cost') }, text),
    chart: fc.oneof({ weight: 8, arbitrary: fc.constantFrom('line', 'bars', 'table') }, value),
    metrics: fc.oneof({ weight: 8, arbitrary: fc.constant(['cost', 'count']) }, fc.array(text, { maxLength: 3 }), value),
    by: fc.oneof({ weight: 4, arbitrary: fc.array(fc.record({ property: text }), { maxLength: 2 }) }, value),
    bucket: fc.oneof({ weight: 8, arbitrary: fc.constantFrom('day', 'hour') }, value),
    filter: fc.oneof({ weight: 8, arbitrary: goodFilter }, filter),
    sort: fc.oneof({ weight: 8, arbitrary: fc.constant({ cost: 'desc' }) }, sort),
    limit: fc.oneof({ weight: 8, arbitrary: fc.nat({ max: 50 }) }, value),
  },
  { requiredKeys: ['title', 'chart', 'metrics'] },
);

/** Nearly a view or a board; often a valid one with hostile texts. */
const hostileSaved = fc.record(
  {
    name: fc.oneof({ weight: 2, arbitrary: fc.uuid() }, text),
    page: fc.oneof({ weight: 8, arbitrary: fc.constantFrom('requests', 'explore') }, value),
    search: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ q: text, from: fc.double(), columns: fc.array(text, { maxLength: 3 }) }, { requiredKeys: ['q'] }),
      },
      fc.dictionary(text, value, { maxKeys: 3 }),
    ),
    time_range: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom({ last: '7d' }, { startTimeUnixMs: 0 }) },
      fc.record({ last: text }),
      value,
    ),
    panels: fc.oneof({ weight: 8, arbitrary: fc.array(panel, { maxLength: 2 }) }, value),
    version: fc.oneof({ weight: 8, arbitrary: fc.constant(1) }, value),
  },
  { requiredKeys: ['name', 'page', 'search', 'time_range', 'panels'] },
);

/** A body as text: nearly a query, properties, any JSON, a damaged query, or invalid JSON. */
export const hostileBody: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: acceptedQuery.map((body) => JSON.stringify(body)) },
  { weight: 6, arbitrary: query.map((body) => JSON.stringify(body)) },
  { weight: 2, arbitrary: fc.dictionary(text, text, { minKeys: 1, maxKeys: 3 }).map((body) => JSON.stringify(body)) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 6 }).map((body) => JSON.stringify(body)) },
  {
    weight: 2,
    arbitrary: fc.tuple(query, fc.nat(), fc.string({ maxLength: 3 })).map(([body, at, damage]) => {
      const whole = JSON.stringify(body);
      const place = at % (whole.length + 1);
      return whole.slice(0, place) + damage + whole.slice(place + damage.length);
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '[', '{"filter":', '['.repeat(5000), `{"filter":${'{"left":'.repeat(3000)}`, '"', 'nul', '\u0000'),
  },
);

export interface FuzzTarget {
  readonly method: string;
  readonly url: string;
  readonly key: string;
  /** The organisation of the key, and a text that occurs only in the records of another organisation. */
  readonly organizationId: string;
  readonly foreignText: string;
}

export interface FuzzReport {
  readonly statuses: ReadonlyMap<number, number>;
  /** What must not happen, each with the body that did it. */
  readonly faults: readonly string[];
}

/** Every endpoint that takes a body. */
export function endpointsWithBody(): readonly { readonly method: string; readonly path: string }[] {
  return endpoints
    .filter(({ declaration }) => declaration.request?.body !== undefined)
    .map(({ declaration: { method, path } }) => ({ method: method.toUpperCase(), path }));
}

/** Identifiers of what is there, by the paths that take them. */
export type Existing = ReadonlyMap<string, string>;

/** What each path adds; the webhook gets nothing of what the tests store. */
const added = {
  '/v1/webhooks': { destination: 'https://hooks.example.com/', config: { events: ['alert.resolved'] } },
  '/v1/views': { name: 'there', page: 'requests', search: {} },
  '/v1/boards': { name: 'there', time_range: { last: '7d' }, panels: [] },
};

/** A path of the API with what is there: a session is `shared`. */
export function existing(path: string, existingPaths: Existing): string {
  return path.replace('{id}', [...existingPaths].find(([begin]) => path.startsWith(begin))?.[1] ?? '');
}

/** Adds one of everything that has an address of its own, beside a request. */
export async function addExisting(api: string, key: string, requestId: string): Promise<Existing> {
  const existingPaths = new Map([['/v1/session/', 'shared']]);
  for (const [path, body] of Object.entries(added)) {
    const response = await fetch(api + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    existingPaths.set(path, ((await response.json()) as { readonly data: { readonly id: string } }).data.id);
  }
  return existingPaths.set('/v1/', requestId);
}

/** Bodies in the shape of an endpoint, where it is not that of a query. */
function bodiesOf(path: string): fc.Arbitrary<string> {
  const [, , noun] = path.split('/');
  const own = noun === 'webhooks' ? hostileWebhook : noun === 'views' || noun === 'boards' ? hostileSaved : undefined;
  return own === undefined
    ? hostileBody
    : fc.oneof(
        own.map((body) => JSON.stringify(body)),
        hostileBody,
      );
}

/** Sends so many hostile bodies to an endpoint, the same for the same seed. */
export async function fuzz(target: FuzzTarget, count: number, seed: number): Promise<FuzzReport> {
  // PUT has bodies of its own: the names that POST has stored are taken.
  const own = target.method === 'PUT' ? seed + 1 : seed;
  const bodies = fc.sample(bodiesOf(new URL(target.url).pathname), { numRuns: count, seed: own });
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  const lanes = Array.from({ length: 6 }, (_, lane) => bodies.filter((__, index) => index % 6 === lane));
  await Promise.all(
    lanes.map(async (lane) => {
      for (const body of lane) {
        const { status, fault } = await attempt(target, body);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (fault !== undefined) faults.push(`${fault}: ${body.slice(0, 500)}`);
      }
    }),
  );
  return { statuses, faults };
}

async function attempt(
  { method, url, key, organizationId, foreignText }: FuzzTarget,
  body: string,
): Promise<{ status: number; fault?: string }> {
  const response = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: body.toWellFormed(),
  });
  const answer = await response.text();
  const { status } = response;
  if (status >= 500) return { status, fault: `status ${status}, ${answer.slice(0, 300)}` };
  if (answer.includes(foreignText)) return { status, fault: "another organisation's record" };
  const owners = [...answer.matchAll(/"organization_id":"([^"]*)"/g)].map(([, owner]) => owner);
  if (owners.some((owner) => owner !== organizationId)) return { status, fault: "another organisation's identifier" };
  // An export has lines of its own form.
  if (status === 200 && response.headers.get('content-type')?.startsWith('application/json') !== true) return { status };
  const parsed = JSON.parse(answer) as { error: unknown; code: unknown; message: unknown };
  if (signalOf(new URL(url).pathname) !== undefined) {
    return isAnswerOfOtlp(status, parsed) ? { status } : { status, fault: 'no answer of OTLP' };
  }
  if (status === 200 ? parsed.error !== null : typeof parsed.error !== 'string') {
    return { status, fault: 'a response without its envelope' };
  }
  return { status };
}

/** `partialSuccess` at most, or a status of gRPC. */
function isAnswerOfOtlp(status: number, answer: object): boolean {
  const names = Object.keys(answer);
  if (status === 200) return names.every((name) => name === 'partialSuccess');
  return ['code', 'message'].every((name) => names.includes(name));
}
