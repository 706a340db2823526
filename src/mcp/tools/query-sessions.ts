import { z } from 'zod';
import type { SessionItem, SessionQuery } from '../../client/client.ts';
import type { SessionSortKey } from '../../model/vocabulary/sort.ts';
import { shared } from '../input/arguments.ts';
import { checkedFilter, wordsOf } from '../input/filter.ts';
import { sessionLink } from '../answers/links.ts';
import { answerList } from '../answers/list.ts';
import { pagePositionOf, rangeOf, rangeText, timeFilterOf } from '../input/range.ts';
import { type Column, rounded } from '../answers/rows.ts';
import { defineTool } from '../answers/tool.ts';
import { orderOf } from './query-requests.ts';

const limits = { standard: 20, most: 100 } as const;
const standardFrom = '7d';

/** Sort keys that the description has; the tool `describe` has all. */
const namedKeys = [
  'total_cost',
  'total_requests',
  'total_tokens',
  'avg_latency',
  'created_at',
] as const satisfies readonly SessionSortKey[];

export const querySessions = defineTool({
  name: 'query_sessions',
  title: 'Query sessions',
  description: `Sessions (requests that belong together, such as one run of an agent) with totals of cost, tokens, requests. Latest first; sort by ${namedKeys.join(', ')}. Their requests: query_requests with {"sessions_request_response_rmt":{"session_session_id":{"equals":ID}}}.`,
  input: z.strictObject({
    search: z.string().optional().describe('Part of id or name'),
    filter: shared.filter,
    from: z.string().optional().describe(`As in query_requests; ${standardFrom} unless given`),
    to: shared.to,
    timezone: shared.timezone,
    sort: shared.sort,
    limit: z.number().int().min(1).max(limits.most).optional().describe(`${limits.standard} unless given`),
    cursor: shared.cursor,
    maxTokens: shared.maxTokens,
  }),
  run: async (given, { gatelog, publicUrl, now, signal }) => {
    const filter = checkedFilter(given.filter);
    const { range, cursor } = pagePositionOf(given.cursor, () => rangeOf(given, now(), standardFrom));
    const { search, sort } = given;
    const query = { filter, timeFilter: timeFilterOf(range), search, ...(sort === undefined ? {} : { sort }), cursor } as SessionQuery;
    const sought = search === undefined ? '' : `, id or name contains ${JSON.stringify(search.slice(0, 100))}`;
    return answerList({
      page: (limit) => gatelog.sessions.query({ ...query, limit }, { signal }),
      limit: given.limit ?? limits.standard,
      maxTokens: given.maxTokens,
      columns,
      range,
      noun: 'sessions',
      words: `${rangeText(range)}, ${orderOf(sort)}; filter: ${wordsOf(filter)}${sought}`,
      tail: ([first]) => (first === undefined ? [] : [`The first one (GET, with the key): ${sessionLink(publicUrl, first.session_id)}`]),
    });
  },
});

const columns: readonly Column<SessionItem>[] = [
  { name: 'session', cell: ({ session_id: id }) => id },
  { name: 'name', cell: ({ session_name: name }) => name },
  { name: 'first', cell: ({ created_at: time }) => time.replace(/\.\d+Z$/, 'Z') },
  { name: 'latest', cell: ({ latest_request_created_at: time }) => time.replace(/\.\d+Z$/, 'Z') },
  { name: 'cost', cell: ({ total_cost: cost }) => rounded(cost) },
  { name: 'requests', cell: ({ total_requests: count }) => count },
  { name: 'prompt_tokens', cell: ({ prompt_tokens: tokens }) => tokens },
  { name: 'completion_tokens', cell: ({ completion_tokens: tokens }) => tokens },
  { name: 'avg_latency', cell: ({ avg_latency: latency }) => rounded(latency) },
  { name: 'users', cell: ({ user_ids: users }) => users.slice(0, maxUsers) },
  { name: 'properties', cell: ({ properties }) => propertiesOf(properties) },
];

/** Of a session; some have thousands. */
const maxUsers = 5;

function propertiesOf(properties: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !/^(?:Svc|Helicone)-Session-/i.test(name)));
}
