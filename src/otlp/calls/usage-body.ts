import type { JsonObject } from '../../model/text.ts';
import type { Usage } from '../dialects/usage.ts';

/** OpenAI's usage object; undefined when nothing was counted, so that the counts are estimated as for any call. */
export function openAiUsage(usage: Usage): JsonObject | undefined {
  const { inputTokens, outputTokens } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const prompt = present({
    cached_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    audio_tokens: usage.inputAudioTokens,
    image_tokens: usage.inputImageTokens,
  });
  const completion = present({
    reasoning_tokens: usage.reasoningTokens,
    audio_tokens: usage.outputAudioTokens,
    image_tokens: usage.outputImageTokens,
  });
  return {
    ...present({ prompt_tokens: inputTokens, completion_tokens: outputTokens }),
    total_tokens: (inputTokens ?? 0) + (outputTokens ?? 0),
    ...(Object.keys(prompt).length === 0 ? {} : { prompt_tokens_details: prompt }),
    ...(Object.keys(completion).length === 0 ? {} : { completion_tokens_details: completion }),
  };
}

function present(members: Readonly<Record<string, number | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
