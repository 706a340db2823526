/** Why an answer ended, whatever its maker calls it. */
type Ending = 'stop' | 'sequence' | 'length' | 'context' | 'tool' | 'filter';

/**
 * The words of OpenAI, Anthropic, Google, Amazon, Cohere and Mistral (their API references), of the AI SDK (`FinishReason`) and of
 * OpenTelemetry (semantic conventions for generative AI, `finish_reason` of an output message), in lower case with `_`.
 */
const words: Readonly<Record<Ending, readonly string[]>> = {
  stop: ['stop', 'end_turn', 'complete', 'completed', 'eos'],
  sequence: ['stop_sequence'],
  length: ['length', 'max_tokens', 'max_output_tokens', 'model_length'],
  context: ['model_context_window_exceeded'],
  tool: ['tool_calls', 'tool_call', 'tool_use'],
  filter: [
    'content_filter',
    'content_filtered',
    'refusal',
    'guardrail_intervened',
    'safety',
    'recitation',
    'blocklist',
    'prohibited_content',
    'spii',
    'image_safety',
  ],
};

const endings: ReadonlyMap<string, Ending> = new Map(
  Object.entries(words).flatMap(([ending, names]) => names.map((name) => [name, ending as Ending] as const)),
);

/** OpenAI, API reference, `finish_reason` of a chat completion. */
const ofOpenAi: Readonly<Record<Ending, string>> = {
  stop: 'stop',
  sequence: 'stop',
  length: 'length',
  context: 'length',
  tool: 'tool_calls',
  filter: 'content_filter',
};
/** Anthropic, API reference, `stop_reason` of a message. */
const ofAnthropic: Readonly<Record<Ending, string>> = {
  stop: 'end_turn',
  sequence: 'stop_sequence',
  length: 'max_tokens',
  context: 'model_context_window_exceeded',
  tool: 'tool_use',
  filter: 'refusal',
};

/** A body in a maker's format has that maker's words. Others without a counterpart stay as they are; null without any. */
function named(told: string | undefined, names: Readonly<Record<Ending, string>>): string | null {
  if (told === undefined || told === '') return null;
  const ending = endings.get(told.toLowerCase().replaceAll('-', '_'));
  return ending === undefined ? told : names[ending];
}

export function finishReason(told: string | undefined): string | null {
  return named(told, ofOpenAi);
}

export function stopReason(told: string | undefined): string | null {
  return named(told, ofAnthropic);
}
