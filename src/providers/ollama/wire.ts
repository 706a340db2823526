import type { WireFacts } from '../format/wire.ts';

export const ollamaWire: WireFacts = {
  // The first is that of completions, the second what a model thinks in either.
  contentTexts: ['response', 'thinking'],
};
