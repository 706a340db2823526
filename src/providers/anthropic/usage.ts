import { isJsonObject } from '../../model/text.ts';
import { addedCount, addedUsage, unreportedUsage } from '../../model/record/usage.ts';
import type { Usage } from '../../model/record/usage.ts';
import type { JsonObject } from '../../model/text.ts';
import { countOf, listOf, objectOf, textOf } from '../format/fields.ts';
import type { ResponseFields } from '../format/provider.ts';

/** The usage of a message and, when several models took part, the share of each. */
export type MessageUsage = Pick<ResponseFields, 'usage' | 'bills'>;

/**
 * The `usage` of a message. Anthropic counts cache reads and cache writes beside the input; our prompt count is the sum of the three. Some
 * billed passes occur only in `iterations`: a pass that compacted the conversation, advice of another model, and output of a model before
 * another one took over. With advice, the top-level counts cover only part of the first pass. @param model the responding model.
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
  const geo = textOf(usage['inference_geo']);
  const ownUsage = usageOf(counted.map(countsOf).reduce(added), usage, geo);
  if (others.size === 0) return { usage: ownUsage };
  const bills = Array.from(others, ([name, counts]) => ({ model: name, usage: usageOf(counts, {}, geo) }));
  return {
    usage: bills.map((bill) => bill.usage).reduce(addedUsage, ownUsage),
    bills: [{ model: '', usage: ownUsage }, ...bills],
  };
}

/** Bounds the models beside the responding one; no real call has that many. Usage of further models has no price. */
const maxOthers = 8;
const unnamed = 'another model';

function nameIn(others: ReadonlyMap<string, unknown>, model: string): string {
  return model !== '' && (others.has(model) || others.size < maxOthers) ? model : unnamed;
}

function isAdvice({ type }: JsonObject): boolean {
  return type === 'advisor_message';
}

/** An attempt of another model without output before its replacement is not billed. */
function isOfReplaced(pass: JsonObject, model: string): boolean {
  const passModel = textOf(pass['model']);
  return pass['type'] === 'message' && passModel !== '' && passModel !== model && (countOf(pass['output_tokens']) ?? 0) > 0;
}

function usageOf({ input, output, read, written, hour }: Counts, raw: JsonObject, geo: string): Usage {
  return {
    ...unreportedUsage,
    promptTokens: input === null ? null : countOf(input + (read ?? 0) + (written ?? 0)),
    completionTokens: output,
    promptCacheReadTokens: read,
    promptCacheWriteTokens: written,
    reasoningTokens: countOf(objectOf(raw['output_tokens_details'])['thinking_tokens']),
    promptCacheWriteHourTokens: hour,
    webSearches: searchesIn(raw),
    geo,
    raw,
  };
}

/** Anthropic reports 0 when no search was requested. */
function searchesIn(usage: JsonObject): number | null {
  const count = countOf(objectOf(usage['server_tool_use'])['web_search_requests']);
  return count === 0 ? null : count;
}

/** Counts of one pass. */
interface Counts {
  readonly input: number | null;
  readonly output: number | null;
  readonly read: number | null;
  readonly written: number | null;
  /** Cache writes kept for an hour, part of `written`. */
  readonly hour: number | null;
}

function countsOf(pass: JsonObject): Counts {
  const cacheCreation = objectOf(pass['cache_creation']);
  const minutes = countOf(cacheCreation['ephemeral_5m_input_tokens']);
  const hour = countOf(cacheCreation['ephemeral_1h_input_tokens']);
  const written = countOf(pass['cache_creation_input_tokens']) ?? addedCount(minutes, hour);
  return {
    input: countOf(pass['input_tokens']),
    output: countOf(pass['output_tokens']),
    read: countOf(pass['cache_read_input_tokens']),
    written,
    // The end event counts the cache writes so far without repeating their lifetime.
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

/** The part of the service that decides the price: fast mode takes precedence over the tier. */
export function servedAs(usage: unknown): string {
  const { speed, service_tier: tier } = objectOf(usage);
  return speed === 'fast' ? 'fast' : textOf(tier);
}
