/**
 * Token counts of one exchange in one meaning for all providers: `promptTokens` is all input with the cached parts included,
 * `completionTokens` all output with reasoning included; the other counts are parts of these two. `null` = the provider did not say.
 */
export interface Usage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly promptCacheReadTokens: number | null;
  readonly promptCacheWriteTokens: number | null;
  readonly promptAudioTokens: number | null;
  readonly completionAudioTokens: number | null;
  readonly reasoningTokens: number | null;
  /** The part of the tokens written to a cache that is kept for an hour, where the provider bills that apart. */
  readonly promptCacheWriteHourTokens: number | null;
  /** The part of the tokens read from a cache that is audio. It is among `promptAudioTokens` too. */
  readonly promptCacheReadAudioTokens: number | null;
  readonly promptImageTokens: number | null;
  readonly completionImageTokens: number | null;
  /** Seconds of audio that are billed in place of tokens. */
  readonly audioSeconds: number | null;
  /** Searches of the web, and in stored files, that the provider made for the call; they are billed by the search, beside the tokens. */
  readonly webSearches: number | null;
  readonly fileSearches: number | null;
  /** True when the counts are ours, made from the text that was seen, because the provider reported none. */
  readonly estimated: boolean;
  /** The provider's own usage object, as received. */
  readonly raw: unknown;
}

export const unreportedUsage: Usage = {
  promptTokens: null,
  completionTokens: null,
  promptCacheReadTokens: null,
  promptCacheWriteTokens: null,
  promptAudioTokens: null,
  completionAudioTokens: null,
  reasoningTokens: null,
  promptCacheWriteHourTokens: null,
  promptCacheReadAudioTokens: null,
  promptImageTokens: null,
  completionImageTokens: null,
  audioSeconds: null,
  webSearches: null,
  fileSearches: null,
  estimated: false,
  raw: null,
};

/** True for counts that are ours in part, while of the other side nobody knows anything: what such a call cost is not known either. */
export function isHalf({ estimated, promptTokens, completionTokens }: Usage): boolean {
  return estimated && (promptTokens === null || completionTokens === null);
}

/** Counts that are billed apart and that nobody filters by: the store keeps them together. */
export const partCounts = [
  'promptCacheWriteHourTokens',
  'promptCacheReadAudioTokens',
  'promptImageTokens',
  'completionImageTokens',
  'audioSeconds',
  'webSearches',
  'fileSearches',
] as const satisfies readonly (keyof Usage)[];

/** What one of several models did for a call. */
export interface Bill {
  /** Empty: the model that answered. */
  readonly model: string;
  readonly usage: Usage;
}

/** Counts of both together; what neither reported stays null. The usage object as received is the first's. */
export function addedUsage(one: Usage, other: Usage): Usage {
  return {
    promptTokens: addedCount(one.promptTokens, other.promptTokens),
    completionTokens: addedCount(one.completionTokens, other.completionTokens),
    promptCacheReadTokens: addedCount(one.promptCacheReadTokens, other.promptCacheReadTokens),
    promptCacheWriteTokens: addedCount(one.promptCacheWriteTokens, other.promptCacheWriteTokens),
    promptAudioTokens: addedCount(one.promptAudioTokens, other.promptAudioTokens),
    completionAudioTokens: addedCount(one.completionAudioTokens, other.completionAudioTokens),
    reasoningTokens: addedCount(one.reasoningTokens, other.reasoningTokens),
    promptCacheWriteHourTokens: addedCount(one.promptCacheWriteHourTokens, other.promptCacheWriteHourTokens),
    promptCacheReadAudioTokens: addedCount(one.promptCacheReadAudioTokens, other.promptCacheReadAudioTokens),
    promptImageTokens: addedCount(one.promptImageTokens, other.promptImageTokens),
    completionImageTokens: addedCount(one.completionImageTokens, other.completionImageTokens),
    audioSeconds: addedCount(one.audioSeconds, other.audioSeconds),
    webSearches: addedCount(one.webSearches, other.webSearches),
    fileSearches: addedCount(one.fileSearches, other.fileSearches),
    estimated: one.estimated || other.estimated,
    raw: one.raw,
  };
}

/** Two counts together; null when neither was reported, or when they come to more than a number can hold. */
export function addedCount(left: number | null, right: number | null): number | null {
  if (left === null && right === null) return null;
  const sum = (left ?? 0) + (right ?? 0);
  return Number.isSafeInteger(sum) ? sum : null;
}

/** All input and output tokens, null when neither was reported. */
export function totalTokens(usage: Usage): number | null {
  if (usage.promptTokens === null && usage.completionTokens === null) return null;
  return (usage.promptTokens ?? 0) + (usage.completionTokens ?? 0);
}

/** TRICKY: a sum beyond 2⁵³ of two numbers is not always that of the counts. */
export function exactTotal(usage: Usage): number | bigint | null {
  const total = totalTokens(usage);
  if (total === null || Number.isSafeInteger(total)) return total;
  return BigInt(usage.promptTokens ?? 0) + BigInt(usage.completionTokens ?? 0);
}

/** Those that were reported. What is no whole number is billed by nobody, and the column takes none. */
export function partsOf(usage: Usage): ReadonlyMap<string, number> {
  const parts = new Map<string, number>();
  for (const name of partCounts) {
    const count = usage[name];
    if (count !== null && Number.isSafeInteger(count) && count >= 0) parts.set(name, count);
  }
  return parts;
}

/** The usage object as received; empty without one. */
export function usageText({ raw }: Usage): string {
  return raw === null ? '' : jsonText(raw);
}

/** TRICKY: `JSON.stringify` overflows the stack on nesting that `JSON.parse` still reads. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}
