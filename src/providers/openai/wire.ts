import type { WireFacts } from '../wire.ts';

/** OpenAI's formats, also as Azure, Groq and OpenRouter speak them. */
export const openAiWire: WireFacts = {
  streamEndMarkers: [
    '[DONE]',
    // The end of responses and pictures. Tool calls in the middle of a response contain it too and wait as shortly.
    '.completed',
    'response.incomplete',
    'response.failed',
    'transcript.text.done',
    'transcription.done',
    'speech.audio.done',
    'event: error',
    '"error"',
  ],
  finalEventTypes: [
    String.raw`response\.(?:completed|incomplete)`,
    String.raw`\w+\.completed`,
    String.raw`(?:transcript\.text|transcription|speech\.audio)\.done`,
  ],
  finalEventTexts: [String.raw`^data: ?\[DONE\]`],
  failureEvents: ['error', 'response.failed'],
  // OpenRouter's, where the provider behind it did not finish.
  failedFinishReasons: ['error'],
  usageMembers: ['tool_usage', 'tools', 'usage'],
  keyHeaders: [{ name: 'authorization' }, { name: 'api-key', owners: ['azure', 'openai'] }],
  versionHeaders: ['openai-beta'],
  cacheKeyHeaders: ['extra-parameters', 'azureml-model-deployment', 'groq-beta'],
  recordedRequestHeaders: ['openai-beta'],
  recordedResponseHeaders: ['x-request-id', 'openai-processing-ms', 'openai-version'],
  repeatedHeaders: ['openai-beta', 'openai-version'],
  perDeliveryPrefixes: ['x-ratelimit-'],
};

/** The question for the usage of a stream: a member of the body, at paths that report no usage unless asked. */
export const usageQuestion = {
  path: /^[^?]*\/completions\/?(?:\?|$)/,
  member: 'stream_options',
  value: '{"include_usage":true}',
} as const;
