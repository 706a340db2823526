import { providerAtHost, providerInTelemetry, soleMakerOf } from '../../model/providers/providers.ts';

/** A provider without a row, and one that nobody named. */
export const unknownProvider = 'custom';

/** Names of frameworks, which some instrumentations give in place of a provider's; and none. */
const frameworks: ReadonlySet<string> = new Set(['', 'langchain', 'llamaindex', 'llama_index', 'litellm', 'crewai', 'haystack', 'autogen']);

/**
 * Our name of the provider. @param told a dialect's name, in any case; with the API behind a dot, as in the AI SDK's `openai.chat`. @param
 * host of the called address, which decides where it is a provider's. @param model of the request, whose maker stands in where no provider
 * is named. @returns `custom` for one without a name here.
 */
export function providerOf(told: string, host: string, model: string): string {
  const name = told.trim().toLowerCase();
  const ofMaker = frameworks.has(name) ? soleMakerOf(model.toLowerCase()) : undefined;
  return providerAtHost(host.toLowerCase()) ?? namedProvider(name) ?? ofMaker ?? unknownProvider;
}

/** Whole names first, then without what follows the last dot. */
function namedProvider(told: string): string | undefined {
  if (told === '') return undefined;
  const name = providerInTelemetry(told);
  if (name !== undefined) return name;
  const dot = told.lastIndexOf('.');
  return dot > 0 ? namedProvider(told.slice(0, dot)) : undefined;
}

/** The host in an address or in `server.address`, which is one. */
export function hostOf(address: string): string {
  const [, host = ''] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@]*@)?([^/:?#]+)/i.exec(address) ?? [];
  return host;
}
