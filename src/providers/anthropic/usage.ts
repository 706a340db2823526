import { isJsonObject } from '../../model/text.ts';
import { addedCount, addedUsage, unreportedUsage } from '../../model/record/usage.ts';
import type { Usage } from '../../model/record/usage.ts';
import type { JsonObject } from '../../model/text.ts';
import { countOf, listOf, objectOf, textOf } from '../facts.ts';
import type { ResponseFacts } from '../provider.ts';

/** What a message took, and where other models took part in it, what each of them did. */
export type MessageUsage = Pick<ResponseFacts, 'usage' | 'bills'>;

/**
 * The `usage` of a message. Anthropic counts what it read from a cache and what it wrote to one beside the input, so all three together are
 * our prompt.
 *
 * In the list of passes alone stand, and are billed as well: a pass that compacted the conversation, the advice of another model, and what a model
 * wrote before another one took over from it. With advice the counts beside the list are those of the first pass in part.
 * @param model the one that answered.
 */
export function readAnthropicUsage(usage: unknown, model: string): MessageUsage {
  if (!isJsonObject(usage)) return { usage: unreportedUsage };
  const passes = listOf(usage['iterations']).map(objectOf);
  const wasReplaced = passes.some(({ type }) => type === 'fallback_message');
  const own: JsonObject[] = [];
  const others = new Map<string, Counts>();
  let isAdvised = false;
  for (const pass of passes) {
    const advises = isAdvice(pass);
    if (advises || (wasReplaced && isOfReplaced(pass, model))) {
      const name = nameIn(others, textOf(pass['model']));
      const before = others.get(name);
      others.set(name, before === undefined ? countsOf(pass) : added(before, countsOf(pass)));
    } else own.push(pass);
    isAdvised ||= advises;
  }
  const counted = isAdvised && own.length > 0 ? own : [usage, ...own.filter(({ type }) => type === 'compaction')];
  const answered = usageOf(counted.map(countsOf).reduce(added), usage);
  if (others.size === 0) return { usage: answered };
  const bills = Array.from(others, ([name, counts]) => ({ model: name, usage: usageOf(counts, {}) }));
  return {
    usage: bills.map((bill) => bill.usage).reduce(addedUsage, answered),
    bills: [{ model: '', usage: answered }, ...bills],
  };
}

/** Models beside the one that answered. What more of them did has no price, as no call has so many. */
const maxOthers = 8;
const unnamed = 'another model';

function nameIn(others: ReadonlyMap<string, unknown>, model: string): string {
  return model !== '' && (others.has(model) || others.size < maxOthers) ? model : unnamed;
}

function isAdvice({ type }: JsonObject): boolean {
  return type === 'advisor_message';
}

/** An attempt of another model that wrote nothing before it was replaced is not billed. */
function isOfReplaced(pass: JsonObject, model: string): boolean {
  const of = textOf(pass['model']);
  return pass['type'] === 'message' && of !== '' && of !== model && (countOf(pass['output_tokens']) ?? 0) > 0;
}

function usageOf({ input, output, read, written, hour }: Counts, raw: JsonObject): Usage {
  return {
    promptTokens: input === null ? null : countOf(input + (read ?? 0) + (written ?? 0)),
    completionTokens: output,
    promptCacheReadTokens: read,
    promptCacheWriteTokens: written,
    promptAudioTokens: null,
    completionAudioTokens: null,
    reasoningTokens: countOf(objectOf(raw['output_tokens_details'])['thinking_tokens']),
    promptCacheWriteHourTokens: hour,
    promptCacheReadAudioTokens: null,
    promptImageTokens: null,
    completionImageTokens: null,
    audioSeconds: null,
    webSearches: searchesIn(raw),
    fileSearches: null,
    estimated: false,
    raw,
  };
}

/** A message says 0 where nobody asked for a search. */
function searchesIn(usage: JsonObject): number | null {
  const count = countOf(objectOf(usage['server_tool_use'])['web_search_requests']);
  return count === 0 ? null : count;
}

/** The counts of one pass. */
interface Counts {
  readonly input: number | null;
  readonly output: number | null;
  readonly read: number | null;
  readonly written: number | null;
  /** Of what was written, what is kept for an hour. */
  readonly hour: number | null;
}

function countsOf(pass: JsonObject): Counts {
  const kept = objectOf(pass['cache_creation']);
  const minutes = countOf(kept['ephemeral_5m_input_tokens']);
  const hour = countOf(kept['ephemeral_1h_input_tokens']);
  const written = countOf(pass['cache_creation_input_tokens']) ?? addedCount(minutes, hour);
  return {
    input: countOf(pass['input_tokens']),
    output: countOf(pass['output_tokens']),
    read: countOf(pass['cache_read_input_tokens']),
    written,
    // The end of a stream counts what was written until then, and does not say again how long that is kept.
    hour: hour !== null && hour > 0 && minutes === 0 && written !== null ? Math.max(hour, written) : hour,
  };
}

function added(one: Counts, other: Counts): Counts {
  return {
    input: addedCount(one.input, other.input),
    output: addedCount(one.output, other.output),
    read: addedCount(one.read, other.read),
    written: addedCount(one.written, other.written),
    hour: addedCount(one.hour, other.hour),
  };
}

/** How the call was served, as far as that decides its price: fast mode before the tier. */
export function servedAs(usage: unknown): string {
  const { speed, service_tier: tier } = objectOf(usage);
  return speed === 'fast' ? 'fast' : textOf(tier);
}
