import { findProvider } from '@pydantic/genai-prices';

/** Names of the models of a provider that the price book lists and does not call outdated. @param providerId its name in the book. */
export function listedModels(providerId: string | undefined): readonly string[] {
  const provider = providerId === undefined ? undefined : findProvider({ providerId });
  return (provider?.models ?? []).flatMap(({ id, deprecated }) => (deprecated === true ? [] : [id]));
}
