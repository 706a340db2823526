import type { WireFacts } from '../wire.ts';

/** Google's formats, of Gemini and of Vertex AI. */
export const googleWire: WireFacts = {
  // A stream has no last event; its last chunk says why it finished.
  finalEventTexts: [String.raw`"finishReason"\s*:\s*"`],
  failedElements: [String.raw`[[,]\s*\{\s*"error"\s*:\s*\{`],
  usageMembers: ['usageMetadata'],
  keyHeaders: [{ name: 'x-goog-api-key', owners: ['gemini', 'vertex'] }],
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
    ['/upload/v1beta/', 'gemini'],
    ['/upload/v1alpha/', 'gemini'],
    ['/download/v1beta/', 'gemini'],
    ['/download/v1alpha/', 'gemini'],
    ['/v1beta1/projects/', 'vertex'],
    ['/v1beta1/publishers/', 'vertex'],
  ],
  nativePaths: [
    // Anthropic's client for Vertex AI sends an `anthropic-version` too.
    { provider: 'vertex', path: /^\/v1\/(?:projects\/[^/?#]+\/locations|publishers)\//, beforeClientHeaders: true },
    // TRICKY: OpenAI's own models may have colons in their names (`ft:gpt-4o:…`), yet nothing is ever posted to one.
    { provider: 'gemini', path: /^\/v1\/(?:models|tunedModels)\/[^/?#]+:[a-zA-Z]+(?:\?|$)/, method: 'POST' },
  ],
};
