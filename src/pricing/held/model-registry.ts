import { randomUUID } from 'node:crypto';
import type { RegistryAnswer } from '../../contract/models/registry.ts';
import { jsonParts, RawJson } from '../../model/json/raw.ts';
import { addressedProviders } from '../../model/providers/providers.ts';
import { listedModels, type ModelEndpoint } from '../models/listed-models.ts';
import type { PriceBook } from '../price-book.ts';
import { providerNamed } from '../../providers/registry.ts';

/** Prices change with the day, but for a few that depend on the hour. */
const keptMs = 60 * 60_000;

/** All models of the price book as JSON, made once an hour: anybody may ask, as often as they like. */
export function makeModelRegistry(book: PriceBook, now: () => number): () => RawJson<RegistryAnswer['data']> {
  let kept: { readonly answer: RawJson<RegistryAnswer['data']>; readonly until: number } | undefined;
  return () => {
    const at = now();
    if (kept === undefined || at >= kept.until) {
      kept = { answer: new RawJson(jsonParts(registryOf(book, at), randomUUID()).join('')), until: at + keptMs };
    }
    return kept.answer;
  };
}

function registryOf(book: PriceBook, at: number): RegistryAnswer['data'] {
  const providers = addressedProviders.map((name) => ({ name, priceProviderId: providerNamed(name)?.priceProviderId }));
  const models = listedModels(book, providers, at);
  const endpoints = models.flatMap((model) => model.endpoints);
  const names = new Set(endpoints.map(({ provider }) => provider));
  return {
    models: models.map((model) => ({ ...model, inputModalities: [], outputModalities: [], supportedParameters: [] })),
    total: models.length,
    filters: {
      providers: [...names].toSorted().map((name) => ({ name, displayName: name })),
      authors: [...new Set(models.map(({ author }) => author))].toSorted(),
      capabilities: Object.keys(capabilities).filter((name) => endpoints.some(capabilities[name] ?? (() => false))),
    },
  };
}

/** What a listed price tells about a model. */
const capabilities: Readonly<Record<string, (endpoint: ModelEndpoint) => boolean>> = {
  audio: ({ pricing }) => pricing.audio !== undefined,
  caching: ({ pricing }) => pricing.cacheRead !== undefined || pricing.cacheWrite !== undefined,
  image: ({ pricing }) => pricing.image !== undefined,
  reasoning: ({ pricing }) => pricing.internal_reasoning !== undefined,
  web_search: ({ pricing }) => pricing.web_search !== undefined,
};
