/** Maximum output of the models of one family. */
interface OutputLimit {
  /** Names without namespace, date and version. */
  readonly models: readonly string[];
  /** Tokens, reasoning included. Providers refuse or truncate beyond it. */
  readonly tokens: number;
  readonly source: string;
}

const openAiModels = 'https://platform.openai.com/docs/models';
const anthropicModels = 'https://docs.anthropic.com/en/docs/about-claude/models/overview';
const googleModels = 'https://ai.google.dev/gemini-api/docs/models';

/** Price lists have the context window only, which is up to fifty times as large. A model without a row is bounded by its window. */
const outputLimits: readonly OutputLimit[] = [
  {
    models: ['gpt-4-turbo', 'gpt-4-turbo-preview', 'gpt-4-1106-preview', 'gpt-4-0125-preview', 'gpt-4-vision-preview', 'gpt-3.5-turbo'],
    tokens: 4_096,
    source: openAiModels,
  },
  {
    models: [
      'gpt-4o',
      'gpt-4o-mini',
      'chatgpt-4o',
      'gpt-4o-audio-preview',
      'gpt-4o-mini-audio-preview',
      'gpt-4o-search-preview',
      'gpt-4o-mini-search-preview',
      'gpt-4.5-preview',
      'gpt-5-chat',
    ],
    tokens: 16_384,
    source: openAiModels,
  },
  { models: ['gpt-4.1', 'gpt-4.1-mini', 'gpt-4.1-nano', 'o1-preview'], tokens: 32_768, source: openAiModels },
  { models: ['o1-mini'], tokens: 65_536, source: openAiModels },
  {
    models: ['o1', 'o1-pro', 'o3', 'o3-mini', 'o3-pro', 'o4-mini', 'o3-deep-research', 'o4-mini-deep-research', 'codex-mini'],
    tokens: 100_000,
    source: openAiModels,
  },
  {
    models: ['gpt-5', 'gpt-5-mini', 'gpt-5-nano', 'gpt-5-codex', 'gpt-5.1', 'gpt-5.1-codex', 'gpt-5.1-codex-mini', 'gpt-5.2'],
    tokens: 128_000,
    source: openAiModels,
  },
  { models: ['claude-3-haiku', 'claude-3-sonnet', 'claude-3-opus'], tokens: 4_096, source: anthropicModels },
  { models: ['claude-3-5-haiku', 'claude-3-5-sonnet'], tokens: 8_192, source: anthropicModels },
  {
    models: ['claude-opus-4', 'claude-opus-4-0', 'claude-opus-4-1'],
    tokens: 32_000,
    source: anthropicModels,
  },
  {
    models: ['claude-sonnet-4', 'claude-sonnet-4-0', 'claude-sonnet-4-5', 'claude-haiku-4-5', 'claude-opus-4-5'],
    tokens: 64_000,
    source: anthropicModels,
  },
  // With a beta header, which the body does not show.
  { models: ['claude-3-7-sonnet', 'claude-opus-4-6'], tokens: 128_000, source: anthropicModels },
  {
    models: ['gemini-1.5-flash', 'gemini-1.5-flash-8b', 'gemini-1.5-pro', 'gemini-2.0-flash', 'gemini-2.0-flash-lite'],
    tokens: 8_192,
    source: googleModels,
  },
  { models: ['gemini-2.5-flash', 'gemini-2.5-flash-lite', 'gemini-2.5-pro'], tokens: 65_536, source: googleModels },
];

const byModel: ReadonlyMap<string, number> = new Map(
  outputLimits.flatMap(({ models, tokens }) => models.map((model) => [model, tokens] as const)),
);

/** No model has a longer name. */
const maxNameCharacters = 256;

/** Maximum output tokens of one answer; undefined without a row. Takes names as providers and aggregators write them. */
export function outputLimitOf(model: string): number | undefined {
  return model.length > maxNameCharacters ? undefined : byModel.get(familyOf(model));
}

/**
 * Strips everything but the family from `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `openai/gpt-4o-2024-08-06`,
 * `ft:gpt-4o-mini:org::id`.
 */
function familyOf(model: string): string {
  return model
    .toLowerCase()
    .replace(/^ft:([^:]*).*$/, '$1')
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z-]+\.)?anthropic\./, '')
    .replace(/-v\d+(?::\d+)*$/, '')
    .replace(/[-@]\d{4}-?\d{2}-?\d{2}$/, '')
    .replace(/-(?:latest|001|002)$/, '');
}
