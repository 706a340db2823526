import type { LineRates, PriceLine } from '../../model/pricing/price-line.ts';
import { isJsonObject, type JsonObject } from '../../model/text.ts';
import type { RateKind } from '../../model/vocabulary/prices.ts';
import { type ListOptions, perMillion } from './list-options.ts';

/** LiteLLM's name of a price for one token, and our kind. */
const kinds: readonly (readonly [name: string, kind: RateKind])[] = [
  ['input_cost_per_token', 'input'],
  ['output_cost_per_token', 'output'],
  ['cache_read_input_token_cost', 'cache_read'],
  ['cache_creation_input_token_cost', 'cache_write'],
  ['cache_creation_input_token_cost_above_1hr', 'cache_write_1h'],
  ['input_cost_per_audio_token', 'input_audio'],
  ['output_cost_per_audio_token', 'output_audio'],
  ['input_cost_per_image_token', 'input_image'],
  ['output_cost_per_image_token', 'output_image'],
  ['output_cost_per_reasoning_token', 'reasoning'],
];

/** LiteLLM's name of a provider, and ours; others have the same in both. */
const providerNames: ReadonlyMap<string, string> = new Map([
  ['text-completion-openai', 'openai'],
  ['bedrock_converse', 'bedrock'],
  ['azure_ai', 'azure'],
  ['together_ai', 'together'],
  ['fireworks_ai', 'fireworks'],
  ['cohere_chat', 'cohere'],
]);

/** Prices of LiteLLM's list that are by the token. Tiers of service (`_priority`, `_flex`, `_batches`) have tables of their own here. */
export function linesOfLiteLlm(
  list: JsonObject,
  { source, providerIdOf }: ListOptions,
): {
  readonly lines: readonly PriceLine[];
  readonly leftOut: { readonly provider: number; readonly unit: number };
} {
  const lines = new Map<string, PriceLine>();
  const leftOut = { provider: 0, unit: 0 };
  for (const [key, entry] of Object.entries(list)) {
    if (key === 'sample_spec' || !isJsonObject(entry)) continue;
    const rates = ratesOf(entry, '');
    const named = nameOf(key, typeof entry['litellm_provider'] === 'string' ? entry['litellm_provider'] : '', providerIdOf);
    if (named === undefined) leftOut.provider += 1;
    else if (rates === undefined) leftOut.unit += 1;
    else {
      const above = stepsOf(entry);
      const { max_input_tokens: window } = entry;
      const line: PriceLine = {
        ...named,
        validFrom: null,
        source,
        rates,
        ...(above.length === 0 ? {} : { above }),
        ...(Number.isSafeInteger(window) ? { contextWindow: Number(window) } : {}),
      };
      lines.set(`${named.provider}/${named.model}`, line);
    }
  }
  return { lines: [...lines.values()], leftOut };
}

function ratesOf(entry: JsonObject, ending: string): LineRates | undefined {
  const rates = kinds.flatMap(([name, kind]) => {
    const usd = entry[`${name}${ending}`];
    return typeof usd === 'number' && usd >= 0 ? [[kind, perMillion(usd)] as const] : [];
  });
  return rates.some(([kind]) => kind === 'input' || kind === 'output') ? Object.fromEntries(rates) : undefined;
}

/** Steps such as `input_cost_per_token_above_272k_tokens`. */
function stepsOf(entry: JsonObject): NonNullable<PriceLine['above']> {
  const found = Object.keys(entry).flatMap((name) => /_above_(\d+)k_tokens$/.exec(name)?.[1] ?? []);
  const thousands = [...new Set(found)].map(Number).toSorted((one, other) => one - other);
  return thousands.flatMap((count) => {
    const rates = ratesOf(entry, `_above_${count}k_tokens`);
    return rates === undefined ? [] : [{ inputTokens: count * 1000, rates }];
  });
}

/** A model with its provider; LiteLLM writes some behind their provider's name, and regions of some before theirs. */
function nameOf(
  key: string,
  provider: string,
  providerIdOf: ListOptions['providerIdOf'],
): Pick<PriceLine, 'model' | 'provider'> | undefined {
  const name = provider.startsWith('vertex_ai') ? 'vertex' : (providerNames.get(provider) ?? provider);
  const providerId = providerIdOf(name);
  if (providerId === undefined) return undefined;
  const model = key.startsWith(`${provider}/`) ? key.slice(provider.length + 1) : key.replace(/^vertex_ai\//, '');
  const isRegional = (providerId === 'aws' || providerId === 'azure') && model.includes('/');
  return model === '' || model.length > 256 || model.includes('*') || isRegional ? undefined : { model, provider: providerId };
}
