import type { WireProfile } from '../format/wire.ts';

/** Formats of Gemini and Vertex AI. */
export const googleWire: WireProfile = {
  // A stream has no end event; its last chunk has the finish reason, or its only one the reason why there is no answer.
  finalEventTexts: [String.raw`"(?:finishReason|blockReason)"\s*:\s*"`],
  contentEvents: [String.raw`(?:step|content)\.delta`, String.raw`interaction\.completed`],
  streamEvents: [String.raw`(?:interaction|step|content)\.[\w.]+`],
  contentObjects: ['functionCall', 'executableCode', 'args', 'arguments'],
  listedMembers: ['candidates', 'promptFeedback', 'usageMetadata'],
  failedElements: [String.raw`[[,]\s*\{\s*"error"\s*:\s*\{`],
  usageMembers: ['usageMetadata'],
  backgroundPaths: ['/interactions'],
  addressHeaders: ['x-goog-upload-control-url', 'x-goog-upload-url'],
  // TRICKY: not `uri`, which goes back to Gemini in the parts of a call and must stay Google's.
  addressMembers: [{ provider: 'gemini', path: /\/files(?:\/[^/?:]+)?\/?(?:\?|$)/, members: ['downloadUri'] }],
  keyHeaders: [{ name: 'x-goog-api-key', owners: ['gemini', 'vertex'] }],
  // Google's clients from version 3 on call `/v1/…`, where OpenAI has files, batches and models too. What calls Vertex AI has its own paths.
  clientHeaders: [
    ['x-goog-api-client', 'gemini'],
    ['x-goog-api-key', 'gemini'],
  ],
  cacheKeyHeaders: [
    'x-goog-encode-response-if-executable',
    'x-goog-fieldmask',
    'x-goog-request-params',
    'x-vertex-ai-llm-request-type',
    'x-vertex-ai-llm-shared-request-type',
  ],
  nativePrefixes: [
    ['/v1beta/', 'gemini'],
    ['/v1alpha/', 'gemini'],
    ['/upload/v1/', 'gemini'],
    ['/upload/v1beta/', 'gemini'],
    ['/upload/v1alpha/', 'gemini'],
    ['/download/v1/', 'gemini'],
    ['/download/v1beta/', 'gemini'],
    ['/download/v1alpha/', 'gemini'],
    ['/v1beta1/projects/', 'vertex'],
    ['/v1beta1/publishers/', 'vertex'],
  ],
  nativePaths: [
    // Anthropic's client for Vertex AI sends an `anthropic-version` too.
    { provider: 'vertex', path: /^\/v1\/(?:projects\/[^/?#]+\/locations|publishers)\//, beforeClientHeaders: true },
    // TRICKY: names of OpenAI models may contain colons (`ft:gpt-4o:…`), but no OpenAI endpoint takes a POST to a model.
    { provider: 'gemini', path: /^\/v1\/(?:models|tunedModels)\/[^/?#]+:[a-zA-Z]+(?:\?|$)/, method: 'POST' },
    { provider: 'gemini', path: /^\/v1\/(?:interactions|cachedContents|tunedModels|fileSearchStores)(?:[/?]|$)/ },
  ],
};
