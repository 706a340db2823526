/**
 * Token counts of one exchange with one meaning for all providers: `promptTokens` is all input including cached parts, `completionTokens`
 * all output including reasoning; the other counts are parts of these two. `null` = not reported.
 */
export interface Usage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly promptCacheReadTokens: number | null;
  readonly promptCacheWriteTokens: number | null;
  readonly promptAudioTokens: number | null;
  readonly completionAudioTokens: number | null;
  readonly reasoningTokens: number | null;
  /** Cache writes kept for an hour, where the provider bills them apart. */
  readonly promptCacheWriteHourTokens: number | null;
  /** Cache writes kept for twelve hours, where the provider bills them apart. */
  readonly promptCacheWriteHalfDayTokens: number | null;
  /** Audio among the cache reads; also part of `promptAudioTokens`. */
  readonly promptCacheReadAudioTokens: number | null;
  readonly promptImageTokens: number | null;
  readonly completionImageTokens: number | null;
  /** Seconds of audio, billed in place of tokens. */
  readonly audioSeconds: number | null;
  /** Searches on the web and in stored files by the provider; billed per search, beside the tokens. */
  readonly webSearches: number | null;
  readonly fileSearches: number | null;
  /** True when the counts are our estimate from the text, because the provider reported none. */
  readonly estimated: boolean;
  /** Where the provider says that the model ran, for providers that bill places apart; empty: anywhere. */
  readonly geo: string;
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
  promptCacheWriteHalfDayTokens: null,
  promptCacheReadAudioTokens: null,
  promptImageTokens: null,
  completionImageTokens: null,
  audioSeconds: null,
  webSearches: null,
  fileSearches: null,
  estimated: false,
  geo: '',
  raw: null,
};

/** True when only one side could be estimated; the cost is then unknown too. */
export function isHalf({ estimated, promptTokens, completionTokens }: Usage): boolean {
  return estimated && (promptTokens === null || completionTokens === null);
}

/** Counts that are billed apart and that no filter uses; the store keeps them together. */
export const partCounts = [
  'promptCacheWriteHourTokens',
  'promptCacheWriteHalfDayTokens',
  'promptCacheReadAudioTokens',
  'promptImageTokens',
  'completionImageTokens',
  'audioSeconds',
  'webSearches',
  'fileSearches',
] as const satisfies readonly (keyof Usage)[];

/** The other counts, by their columns. */
export const countColumns = {
  prompt_tokens: 'promptTokens',
  completion_tokens: 'completionTokens',
  prompt_cache_read_tokens: 'promptCacheReadTokens',
  prompt_cache_write_tokens: 'promptCacheWriteTokens',
  prompt_audio_tokens: 'promptAudioTokens',
  completion_audio_tokens: 'completionAudioTokens',
  reasoning_tokens: 'reasoningTokens',
} as const satisfies Readonly<Record<string, keyof Usage>>;

/** The share of one of several models in a call. */
export interface Bill {
  /** Empty: the responding model. */
  readonly model: string;
  readonly usage: Usage;
}

/** Sums both; counts that neither reported stay null. `raw` is the first's. */
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
    promptCacheWriteHalfDayTokens: addedCount(one.promptCacheWriteHalfDayTokens, other.promptCacheWriteHalfDayTokens),
    promptCacheReadAudioTokens: addedCount(one.promptCacheReadAudioTokens, other.promptCacheReadAudioTokens),
    promptImageTokens: addedCount(one.promptImageTokens, other.promptImageTokens),
    completionImageTokens: addedCount(one.completionImageTokens, other.completionImageTokens),
    audioSeconds: addedCount(one.audioSeconds, other.audioSeconds),
    webSearches: addedCount(one.webSearches, other.webSearches),
    fileSearches: addedCount(one.fileSearches, other.fileSearches),
    estimated: one.estimated || other.estimated,
    geo: one.geo || other.geo,
    raw: one.raw,
  };
}

/** Null when neither was reported or the sum is not a safe integer. */
export function addedCount(left: number | null, right: number | null): number | null {
  if (left === null && right === null) return null;
  const sum = (left ?? 0) + (right ?? 0);
  return Number.isSafeInteger(sum) ? sum : null;
}

/** Null when neither was reported. */
export function totalTokens(usage: Usage): number | null {
  if (usage.promptTokens === null && usage.completionTokens === null) return null;
  return (usage.promptTokens ?? 0) + (usage.completionTokens ?? 0);
}

/** TRICKY: beyond 2⁵³ the sum as a number may be inexact. */
export function exactTotal(usage: Usage): number | bigint | null {
  const total = totalTokens(usage);
  if (total === null || Number.isSafeInteger(total)) return total;
  return BigInt(usage.promptTokens ?? 0) + BigInt(usage.completionTokens ?? 0);
}

/** The reported counts. Anything but a whole number is not billed, and the column does not accept it. */
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
