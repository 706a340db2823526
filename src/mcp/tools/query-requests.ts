import { indexWithin } from '../../query/filter/memory/texts/find.ts';
import { z } from 'zod';
import type { RequestItem, RequestQuery } from '../../client/client.ts';
import type { SortKey } from '../../model/vocabulary/sort.ts';
import { shared } from '../input/arguments.ts';
import { askBoth, checkedFilter, soughtTexts, wordsOf } from '../input/filter.ts';
import { exportLink } from '../answers/links.ts';
import { answerList } from '../answers/list.ts';
import { boundsOf, pagePositionOf, rangeOf, rangeText } from '../input/range.ts';
import { type Column, rounded } from '../answers/rows.ts';
import { answeredIn, askedIn, excerpt, fullPromptIn } from '../answers/texts.ts';
import { defineTool } from '../answers/tool.ts';

const limits = { standard: 20, most: 100 } as const;
const texts = { standard: 160, most: 2000 } as const;

/** Sort keys that the description has; the tool `describe` has all. */
const namedKeys = ['cost', 'latency', 'total_tokens'] as const satisfies readonly SortKey[];

export const queryRequests = defineTool({
  name: 'query_requests',
  title: 'Query requests',
  description: `Recorded LLM requests that match, one row each: status, model, user, session, cost (USD), tokens, latency (ms), properties, excerpts of prompt and answer or error. Newest first; sort by ${namedKeys.join(', ')}, … For totals use query_metrics.`,
  input: z.strictObject({
    filter: shared.filter,
    from: shared.from,
    to: shared.to,
    timezone: shared.timezone,
    sort: shared.sort,
    limit: z.number().int().min(1).max(limits.most).optional().describe(`${limits.standard} unless given`),
    cursor: shared.cursor,
    text: z.number().int().min(0).max(texts.most).optional().describe(`Characters of excerpts, ${texts.standard} unless given; 0: none`),
    count: z.boolean().optional().describe('Also count all that match'),
    maxTokens: shared.maxTokens,
  }),
  run: async (given, { gatelog, publicUrl, now, signal }) => {
    const filter = checkedFilter(given.filter);
    const { range, cursor } = pagePositionOf(given.cursor, () => rangeOf(given, now()));
    const characters = given.text ?? texts.standard;
    const query = {
      ...(given.sort === undefined ? {} : { sort: given.sort }),
      includeBodies: characters > 0,
      cursor,
    } as Omit<RequestQuery, 'filter'>;
    const link = exportLink(publicUrl, { filter, ...range });
    return answerList({
      page: (limit) =>
        askBoth(filter, boundsOf(range), (asked) =>
          gatelog.requests.query({ ...query, filter: asked, limit }, { includeCount: given.count, signal }),
        ),
      limit: given.limit ?? limits.standard,
      maxTokens: given.maxTokens,
      columns: [...columns, ...textColumns(characters, soughtTexts(filter))],
      range,
      noun: 'requests',
      words: `${rangeText(range)}, ${orderOf(given.sort)}; filter: ${wordsOf(filter)}`,
      tail: () => (link === undefined ? [] : [`All of them (GET, with the key): ${link}`]),
    });
  },
});

export function orderOf(sort: Readonly<Record<string, string>> = {}): string {
  const keys = Object.entries(sort).map(([key, direction]) => `${key} ${direction}`);
  return keys.length === 0 ? 'newest first' : `by ${keys.join(', ')}`;
}

const columns: readonly Column<RequestItem>[] = [
  { name: 'id', cell: ({ request_id: id }) => id },
  { name: 'time', cell: ({ request_created_at: time }) => time.replace(/\.\d+Z$/, 'Z') },
  { name: 'status', cell: ({ response_status: status }) => status },
  { name: 'model', cell: ({ model }) => model },
  { name: 'provider', cell: ({ provider }) => provider },
  { name: 'user', cell: ({ request_user_id: user }) => user },
  { name: 'session', cell: ({ session_id: id }) => id },
  { name: 'cost', cell: ({ cost }) => rounded(cost) },
  { name: 'prompt_tokens', cell: ({ prompt_tokens: tokens }) => tokens },
  { name: 'completion_tokens', cell: ({ completion_tokens: tokens }) => tokens },
  { name: 'latency', cell: ({ latency }) => latency },
  { name: 'cached', cell: ({ cached }) => (cached ? true : null) },
  { name: 'properties', cell: ({ properties }) => ownProperties(properties) },
];

/** Without those that have columns of their own. */
function ownProperties(properties: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !/^(?:Svc|Helicone)-Session-/i.test(name)));
}

function textColumns(characters: number, sought: readonly string[]): readonly Column<RequestItem>[] {
  if (characters === 0) return [];
  const prompt = (body: unknown): string => {
    const asked = askedIn(body);
    const lower = asked.toLowerCase();
    const isSoughtElsewhere = sought.some((text) => indexWithin(lower, text.toLowerCase()) === -1);
    return isSoughtElsewhere ? fullPromptIn(body) : asked;
  };
  // A tool's result is no words of anybody, and an import may have no bodies.
  const shown = (text: string, preview: string | null): string => excerpt(text === '' ? (preview ?? '') : text, characters, sought);
  return [
    { name: 'asked', isExcerpt: true, cell: ({ request_body: body, input_preview: preview }) => shown(prompt(body), preview) },
    { name: 'answered', isExcerpt: true, cell: ({ response_body: body, output_preview: preview }) => shown(answeredIn(body), preview) },
  ];
}
