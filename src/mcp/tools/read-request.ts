import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { RequestItem } from '../../client/client.ts';
import { shared } from '../input/arguments.ts';
import { beginningOf, tokenLimits, tokensOf } from '../input/budget.ts';
import { requestLink } from '../answers/links.ts';
import { marksTokens, recordedPart } from '../answers/recorded.ts';
import { defineTool, textResult } from '../answers/tool.ts';

const parts = ['both', 'request', 'response'] as const;
type Part = Exclude<(typeof parts)[number], 'both'>;

export const readRequest = defineTool({
  name: 'read_request',
  title: 'Read a request',
  description:
    'One recorded request with all its fields and both bodies, cut to the budget. Page through a long body by part and offset, as the answer says.',
  input: z.strictObject({
    id: z.string().min(1).max(200),
    part: z.enum(parts).optional().describe('Which body; both unless given'),
    offset: z.number().int().min(0).optional().describe('First character of the body of a part'),
    maxTokens: shared.maxTokens,
  }),
  run: async ({ id, part = 'both', offset = 0, maxTokens = tokenLimits.standard }, { gatelog, publicUrl, signal }) => {
    const { data } = await gatelog.requests.get(id, { signal });
    const bodies = { request: bodyText(data.request_body), response: bodyText(data.response_body) };
    const link = `Whole (GET, with the key): ${requestLink(publicUrl, data.request_id)}`;
    if (part !== 'both') {
      const shown = shownPart(data.request_id, { part, text: bodies[part], offset, tokens: maxTokens - tokensOf(link) });
      return textResult([...shown, link].join('\n'), maxTokens);
    }
    return bothParts(data, bodies, { link, maxTokens });
  },
});

interface Frame {
  readonly link: string;
  readonly maxTokens: number;
}

/** The fields, and of the rest half for each body; what one does not need is the other's. */
function bothParts(item: RequestItem, bodies: Readonly<Record<Part, string>>, { link, maxTokens }: Frame): CallToolResult {
  const fields = beginningOf(JSON.stringify(fieldsOf(item)), Math.floor(maxTokens / 2));
  const left = maxTokens - tokensOf(fields + link) - marksTokens;
  const half = Math.floor(left / 2);
  const needed = { request: neededBy(bodies.request), response: neededBy(bodies.response) };
  const tokens = {
    request: Math.max(half, left - needed.response),
    response: Math.max(half, left - needed.request),
  };
  const shown = (['request', 'response'] as const).flatMap((part) =>
    shownPart(item.request_id, { part, text: bodies[part], offset: 0, tokens: tokens[part] }),
  );
  return textResult([recordedPart(fields), ...shown, link].join('\n'), maxTokens);
}

/** Of the sentence before a part and the one behind it. */
const sentencesTokens = 90;

function neededBy(text: string): number {
  return tokensOf(text) + sentencesTokens + marksTokens;
}

interface PartView {
  readonly part: Part;
  readonly text: string;
  readonly offset: number;
  readonly tokens: number;
}

function shownPart(id: string, { part, text, offset, tokens }: PartView): readonly string[] {
  if (text === '') return [`${part} body: none was kept.`];
  if (offset >= text.length) return [`${part} body: it ends before character ${offset}; it has ${text.length} characters.`];
  const shown = beginningOf(text.slice(offset), tokens - sentencesTokens - marksTokens);
  const end = offset + shown.length;
  const rest = end < text.length ? [`Cut: go on with read_request ${JSON.stringify({ id, part, offset: end })}.`] : [];
  return [`${part} body, characters ${offset} to ${end} of ${text.length}:`, recordedPart(shown), ...rest];
}

function bodyText(body: unknown): string {
  if (body === null || body === undefined) return '';
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** Shown apart, or twice in an item for older clients. */
const leftOut: ReadonlySet<string> = new Set([
  'request_body',
  'response_body',
  'request_properties',
  'delay_ms',
  'costUSD',
  'signed_body_url',
  'organization_id',
  'storage_location',
]);

function fieldsOf(item: RequestItem): Readonly<Record<string, unknown>> {
  const kept = Object.entries(item).filter(([name, value]) => !leftOut.has(name) && !isEmpty(value));
  return Object.fromEntries(kept);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || value === false || (typeof value === 'object' && Object.keys(value).length === 0);
}
