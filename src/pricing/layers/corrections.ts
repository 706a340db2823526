import type { LineRates, PriceLine } from '../../model/pricing/price-line.ts';

/**
 * Prices that the public list lacks or has wrong, each with who says so and when. A row goes once the list has caught up, which
 * `corrections.test.ts` notices; a model that nobody who can be named has a price for is no row here and stays unpriced.
 */
const claudeCode = 'Claude Code 2.1.332 of 2026-11-24 computes so';
const piAi = '@earendil-works/pi-ai 1.6.0 of 2026-11-20';
const sol62Page = 'https://developers.openai.com/api/docs/models/gpt-6.2-sol, read 2026-11-27';
const modelsPage = `https://developers.openai.com/api/docs/models, read 2026-11-27, for input and output; caches and steps: ${piAi}`;

/** US dollars for a million tokens: input, output, cache read, cache write. */
type Rates = readonly [input: number, output: number, read: number, write?: number];

/** Searches cost the same with every model of a maker. */
const openAiFees = { web_search: 10_000, file_search: 2500 } as const;
const anthropicFees = { web_search: 10_000 } as const;

const ratesOf = ([input, output, read, write]: Rates): LineRates => ({
  input,
  output,
  cache_read: read,
  ...(write === undefined ? {} : { cache_write: write }),
});

interface Correction {
  readonly model: string;
  readonly validFrom: string;
  readonly source: string;
  readonly rates: Rates;
  /** Price above so many input tokens. */
  readonly above?: readonly [inputTokens: number, rates: Rates];
  readonly contextWindow: number;
}

const openAiContext = 1_050_000;
const million = 1_000_000;

const openAi: readonly Correction[] = [
  {
    model: 'gpt-6.2-sol',
    validFrom: '2026-11-17',
    source: sol62Page,
    rates: [2, 10, 0.1, 2.5],
    above: [272_000, [4, 15, 0.2, 5]],
    contextWindow: openAiContext,
  },
  {
    model: 'gpt-6.2-astra',
    validFrom: '2026-11-17',
    source: modelsPage,
    rates: [8, 40, 0.4, 10],
    above: [272_000, [16, 60, 0.8, 20]],
    contextWindow: openAiContext,
  },
  {
    model: 'gpt-6.1-sol',
    validFrom: '2026-09-29',
    source: modelsPage,
    rates: [2, 10, 0.1, 2.5],
    above: [272_000, [4, 15, 0.2, 5]],
    contextWindow: openAiContext,
  },
  {
    model: 'gpt-6.1-terra',
    validFrom: '2026-10-26',
    source: modelsPage,
    rates: [1, 5, 0.05, 1.25],
    above: [272_000, [2, 7.5, 0.1, 2.5]],
    contextWindow: openAiContext,
  },
];

/** GPT-6 of before, which the public list has for OpenAI and not for Amazon. */
const openAiAtAmazonOnly: readonly Correction[] = (
  [
    ['gpt-6-astra', [10, 50, 1, 12.5], [20, 75, 2, 25]],
    ['gpt-6-sol', [2, 10, 0.2, 2.5], [4, 15, 0.4, 5]],
    ['gpt-6-luna', [0.1, 0.5, 0.01, 0.125], [0.2, 0.75, 0.02, 0.25]],
  ] as const
).map(([model, rates, above]) => ({
  model,
  validFrom: '2026-09-03',
  source: piAi,
  rates,
  above: [272_000, above],
  contextWindow: openAiContext,
}));

const claude: readonly Correction[] = [
  {
    model: 'claude-haiku-5-5',
    validFrom: '2026-10-07',
    source: claudeCode,
    rates: [0.1, 0.5, 0.01, 0.125],
    above: [100_000, [0.5, 2.5, 0.05, 0.625]],
    contextWindow: million,
  },
  { model: 'claude-sonnet-5-5', validFrom: '2026-10-07', source: claudeCode, rates: [2, 10, 0.1, 2.5], contextWindow: million },
  { model: 'claude-fable-5-2', validFrom: '2026-11-02', source: claudeCode, rates: [8, 40, 0.2, 10], contextWindow: million },
];

/** At nobody else, as far as can be named. */
const claudeAtAnthropicOnly: readonly Correction[] = [
  { model: 'claude-mythos-5-2', validFrom: '2026-11-02', source: claudeCode, rates: [8, 40, 0.2, 10], contextWindow: million },
  { model: 'claude-mythos-5-1', validFrom: '2026-09-01', source: claudeCode, rates: [10, 50, 0.25, 12.5], contextWindow: million },
  { model: 'claude-mythos-5', validFrom: '2026-06-09', source: claudeCode, rates: [10, 50, 1, 12.5], contextWindow: million },
];

const gemini: readonly Correction[] = [
  { model: 'gemini-4-argon', validFrom: '2026-10-01', source: piAi, rates: [2, 10, 0.1], contextWindow: 1_048_576 },
  { model: 'gemini-4-carbon', validFrom: '2026-10-01', source: piAi, rates: [2, 10, 0.1], contextWindow: 1_048_576 },
  { model: 'gemini-4-hydrogen', validFrom: '2026-10-01', source: piAi, rates: [1.5, 7.5, 0.075], contextWindow: 1_048_576 },
  { model: 'gemini-4-neon', validFrom: '2026-11-18', source: piAi, rates: [3, 15, 0.15], contextWindow: 1_048_576 },
];

function lineOf(provider: string, { rates, above, ...row }: Correction, fees: LineRates = {}): PriceLine {
  const steps = above === undefined ? {} : { above: [{ inputTokens: above[0], rates: ratesOf(above[1]) }] };
  return { ...row, provider, rates: { ...ratesOf(rates), ...fees }, ...steps };
}

/** Beginnings of a model's name at Amazon: anywhere, and in one region, which costs a tenth more. */
const amazonRegions = ['', 'us.', 'eu.', 'au.', 'jp.', 'apac.', 'in.'];

const withTenth = (usd: number): number => Math.round(usd * 1.1e8) / 1e8;

function regionalRates([input, output, read, write]: Rates): Rates {
  return [withTenth(input), withTenth(output), withTenth(read), ...(write === undefined ? ([] as const) : ([withTenth(write)] as const))];
}

function atAmazon(maker: string, row: Correction): readonly PriceLine[] {
  const { above } = row;
  const regional = {
    ...row,
    rates: regionalRates(row.rates),
    ...(above === undefined ? {} : { above: [above[0], regionalRates(above[1])] as const }),
  };
  const named = (prefix: string, each: Correction): PriceLine =>
    lineOf('aws', { ...each, model: `${prefix}${maker}.${row.model}`, source: piAi });
  return [named('global.', row), ...amazonRegions.map((prefix) => named(prefix, regional))];
}

export const corrections: readonly PriceLine[] = [
  ...openAi.map((row) => lineOf('openai', row, openAiFees)),
  ...openAi.map((row) => lineOf('azure', { ...row, source: piAi })),
  ...[...openAi, ...openAiAtAmazonOnly].flatMap((row) => atAmazon('openai', row)),
  ...[...claude, ...claudeAtAnthropicOnly].map((row) => lineOf('anthropic', row, anthropicFees)),
  ...claude.flatMap((row) => atAmazon('anthropic', row)),
  ...gemini.map((row) => lineOf('google', row)),
];
