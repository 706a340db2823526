/** Providers that this version reaches by name, in paths, in `name/model` and in settings. The built-in `echo` needs no address. */
export const addressedProviders = ['openai'] as const;
export type AddressedProvider = (typeof addressedProviders)[number];
