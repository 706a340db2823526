import type { WireProfile } from '../format/wire.ts';

/** OpenAI's formats, also as Azure, Groq and OpenRouter speak them. */
export const openAiWire: WireProfile = {
  streamEndMarkers: [
    '[DONE]',
    // The end of responses and pictures. Some events in mid-response contain it too and are held back as briefly.
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
  // Some servers send no deltas, and what is done at once.
  contentEvents: [
    String.raw`response\.[\w.]+\.(?:delta|done|partial_image)`,
    String.raw`response\.completed`,
    String.raw`image_(?:generation|edit)\.(?:partial_image|completed)`,
    String.raw`transcript\.text\.(?:delta|segment|done)`,
    String.raw`transcription\.[\w.]*(?:delta|segment|done)`,
    String.raw`speech\.audio\.(?:delta|done)`,
    String.raw`thread\.message\.delta`,
  ],
  streamEvents: [String.raw`(?:response|image_generation|image_edit|transcript|transcription|speech|thread)\.[\w.]+`],
  contentTexts: [
    'content',
    'text',
    'reasoning_content',
    'reasoning',
    'refusal',
    'arguments',
    'input',
    'delta',
    'data',
    'audio',
    'transcript',
    'b64_json',
    'partial_image_b64',
    'value',
  ],
  // A picture of a chat, as OpenRouter brings it.
  contentObjects: ['image_url'],
  failureEvents: ['error', 'response.failed'],
  // OpenRouter, when the provider behind it did not finish.
  failedFinishReasons: ['error'],
  usageMembers: ['tool_usage', 'tools', 'usage'],
  userMembers: ['user', 'safety_identifier'],
  backgroundPaths: ['/responses', '/v1/agent'],
  addressHeaders: ['azure-asyncoperation', 'operation-location'],
  keyHeaders: [{ name: 'authorization' }, { name: 'api-key', owners: ['azure', 'openai'] }],
  versionHeaders: ['openai-beta'],
  cacheKeyHeaders: ['extra-parameters', 'azureml-model-deployment', 'groq-beta'],
  recordedRequestHeaders: ['openai-beta'],
  recordedResponseHeaders: ['x-request-id', 'openai-processing-ms', 'openai-version'],
  repeatedHeaders: ['openai-beta', 'openai-version'],
  perDeliveryPrefixes: ['x-ratelimit-'],
};

/** Member that asks for the usage of a stream, at paths that report it only on request. */
export const usageOption = {
  path: /^[^?]*\/completions\/?(?:\?|$)/,
  member: 'stream_options',
  value: '{"include_usage":true}',
} as const;
