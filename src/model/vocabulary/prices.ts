/** What is billed apart. `request` is a fee per call, `web_search` and `file_search` one per search, `audio_seconds` a time, everything else is a kind of token. */
export const rateKinds = [
  'input',
  'cache_read',
  'cache_read_audio',
  'cache_write',
  'cache_write_1h',
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
 * Where a price stands: in what an organisation has stored, in the table of the built-in provider, in that of service tiers, in the operator's
 * file, or in the public list.
 */
export const priceTables = ['organization', 'built-in', 'service-tiers', 'prices-file', 'price-book'] as const;
export type PriceTable = (typeof priceTables)[number];
