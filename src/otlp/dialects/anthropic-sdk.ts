import { countIn, type Usage } from './usage.ts';
import { numberAt, type Span } from '../received/span.ts';
import type { Dialect, AttributeNames } from './dialect.ts';

const attributeNames: AttributeNames = {
  finishReason: ['anthropic.message.stop_reason'],
  serviceTier: ['anthropic.response.service_tier'],
};

/** What Anthropic's own client, which makes spans by itself, writes beside `gen_ai.*`. It never tells what was said. */
export const anthropicSdk: Dialect = {
  name: "Anthropic's client",
  source: 'anthropics/anthropic-sdk-typescript src/internal, the tracer com.anthropic.sdk.typescript',
  attributeNames,
  operationOf: () => undefined,
  conversationOf: () => ({}),
  usageOf,
  propertyPrefixes: [],
  propertyObjects: [],
  tagLists: [],
  namespaces: ['anthropic.'],
};

const kinds = ['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'] as const;

/** Anthropic's own usage object where it is told how long cache writes are kept: they cost differently. */
function usageOf({ attributes }: Span): Usage | undefined {
  const at = (name: string): number | undefined => countIn(numberAt(attributes, [name]));
  const kept = kinds
    .map((kind) => [kind, at(`anthropic.usage.cache_creation.${kind}`)] as const)
    .filter(([, count]) => count !== undefined);
  const input = at('gen_ai.usage.input_tokens');
  if (kept.length === 0 || input === undefined) return undefined;
  const read = at('gen_ai.usage.cache_read.input_tokens') ?? 0;
  const written = at('gen_ai.usage.cache_write.input_tokens') ?? 0;
  return {
    anthropic: {
      input_tokens: Math.max(0, input - read - written),
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      cache_creation: Object.fromEntries(kept),
      output_tokens: at('gen_ai.usage.output_tokens') ?? 0,
    },
  };
}
