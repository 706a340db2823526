import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ApiError, type Filter } from '../../client/client.ts';
import { clippedSentence, shortCorrection } from '../answers/failure.ts';
import { shared } from '../input/arguments.ts';
import { askBoth, checkedFilter, grammar, wordsOf } from '../input/filter.ts';
import { InputError } from '../input/input-error.ts';
import { exportLink } from '../answers/links.ts';
import { boundsOf, rangeOf, rangeText, timeFilterOf, type TimeRange } from '../input/range.ts';
import { defineTool, structuredResult, type ToolContext } from '../answers/tool.ts';

const standardFrom = '30d';

export const explainFilter = defineTool({
  name: 'explain_filter',
  title: 'Explain a filter',
  description:
    'Checks a filter: what it means in words and how many match, or the error with its place and a corrected filter. All query tools take the same filters.',
  input: z.strictObject({
    filter: shared.filter,
    of: z.enum(['requests', 'sessions']).optional().describe('What is counted'),
    from: z.string().optional().describe(`Of the count; ${standardFrom} unless given`),
    to: shared.to,
  }),
  output: z.object({
    valid: z.boolean(),
    meaning: z.string().optional(),
    matches: z.number().optional(),
    range: z.string().optional(),
    hint: z.string().optional(),
    link: z.string().optional(),
    error: z.string().optional(),
    place: z.string().optional(),
    corrected: z.unknown().optional(),
    grammar: z.string().optional(),
  }),
  run: async (given, context) => {
    try {
      const filter = checkedFilter(given.filter);
      const range = rangeOf(given, context.now(), standardFrom);
      return structuredResult({
        valid: true,
        meaning: clippedSentence(wordsOf(filter)),
        range: rangeText(range),
        ...(await counted(filter, range, { ...context, of: given.of ?? 'requests' })),
        link: exportLink(context.publicUrl, { filter, ...range }),
      });
    } catch (error) {
      return refused(error, given.filter);
    }
  },
});

interface Counting extends ToolContext {
  readonly of: 'requests' | 'sessions';
}

async function counted(
  filter: Filter,
  range: TimeRange,
  { gatelog, signal, of }: Counting,
): Promise<{ readonly matches: number | undefined; readonly hint: string | undefined }> {
  if (of === 'sessions') {
    const query = { filter, timeFilter: timeFilterOf(range), limit: 1 };
    const { totalCount, hint } = await gatelog.sessions.query(query, { includeCount: true, signal });
    return { matches: totalCount, hint: clippedHint(hint) };
  }
  const { totalCount, hint } = await askBoth(filter, boundsOf(range), (asked) =>
    gatelog.requests.query({ filter: asked, limit: 1, includeBodies: false }, { includeCount: true, signal }),
  );
  return { matches: totalCount, hint: clippedHint(hint) };
}

function clippedHint(hint: string | undefined): string | undefined {
  return hint === undefined ? undefined : clippedSentence(hint);
}

/** @throws what is no fault of the filter. */
function refused(error: unknown, filter: unknown): CallToolResult {
  const corrected = shortCorrection(filter);
  const lessons = { ...(corrected === undefined ? {} : { corrected }), grammar };
  if (error instanceof InputError && error.argument === 'filter') {
    return structuredResult({ valid: false, error: clippedSentence(`The filter ${error.message}.`), place: 'filter', ...lessons });
  }
  if (error instanceof ApiError && error.code === 'invalid_filter') {
    const place = error.place === undefined ? {} : { place: clippedSentence(error.place) };
    return structuredResult({ valid: false, error: clippedSentence(error.message), ...place, ...lessons });
  }
  throw error;
}
