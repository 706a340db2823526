/**
 * Kinds of billed quantities. `request` is a fee per call, `web_search` and `file_search` are per search, `audio_seconds` is a duration;
 * the others are kinds of tokens.
 */
export const rateKinds = [
  'input',
  'cache_read',
  'cache_read_audio',
  'cache_write',
  'cache_write_1h',
  'cache_write_12h',
  'input_audio',
  'input_image',
  'output',
  'output_audio',
  'output_image',
  'reasoning',
  'request',
  'audio_seconds',
  'web_search',
  'file_search',
] as const;
export type RateKind = (typeof rateKinds)[number];

/**
 * Source of a price: stored by the organisation, the built-in provider's table, the table of service tiers, the operator's prices, our
 * corrections of the public list, or that list.
 */
export const priceTables = ['organization', 'built-in', 'service-tiers', 'prices-file', 'corrections', 'price-book'] as const;
export type PriceTable = (typeof priceTables)[number];
