import { isJsonObject } from '../../model/text.ts';
import { unreportedUsage } from '../../model/usage.ts';
import type { Usage } from '../../model/usage.ts';
import type { JsonObject } from '../../model/text.ts';
import { countOf, listOf, objectOf, textOf } from '../facts.ts';

/**
 * The `usage` of a message. Anthropic counts what it read from a cache and what it wrote to one beside the input, so all three together are
 * our prompt. A pass that compacted the conversation first is billed as well, and is in the list of passes alone.
 */
export function readAnthropicUsage(usage: unknown): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  const compactions = listOf(usage['iterations'])
    .map(objectOf)
    .filter(({ type }) => type === 'compaction');
  const { input, output, read, written, hour } = [usage, ...compactions].map(countsOf).reduce(added);
  return {
    promptTokens: input === null ? null : countOf(input + (read ?? 0) + (written ?? 0)),
    completionTokens: output,
    promptCacheReadTokens: read,
    promptCacheWriteTokens: written,
    promptAudioTokens: null,
    completionAudioTokens: null,
    reasoningTokens: countOf(objectOf(usage['output_tokens_details'])['thinking_tokens']),
    promptCacheWriteHourTokens: hour,
    promptCacheReadAudioTokens: null,
    promptImageTokens: null,
    completionImageTokens: null,
    audioSeconds: null,
    estimated: false,
    raw: usage,
  };
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
  const hour = countOf(kept['ephemeral_1h_input_tokens']);
  return {
    input: countOf(pass['input_tokens']),
    output: countOf(pass['output_tokens']),
    read: countOf(pass['cache_read_input_tokens']),
    written: countOf(pass['cache_creation_input_tokens']) ?? sumOf(countOf(kept['ephemeral_5m_input_tokens']), hour),
    hour,
  };
}

function added(one: Counts, other: Counts): Counts {
  return {
    input: sumOf(one.input, other.input),
    output: sumOf(one.output, other.output),
    read: sumOf(one.read, other.read),
    written: sumOf(one.written, other.written),
    hour: sumOf(one.hour, other.hour),
  };
}

/** How the call was served, as far as that decides its price: fast mode before the tier. */
export function servedAs(usage: unknown): string {
  const { speed, service_tier: tier } = objectOf(usage);
  return speed === 'fast' ? 'fast' : textOf(tier);
}

function sumOf(left: number | null, right: number | null): number | null {
  return left === null && right === null ? null : countOf((left ?? 0) + (right ?? 0));
}
