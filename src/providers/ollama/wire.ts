import type { WireProfile } from '../format/wire.ts';

export const ollamaWire: WireProfile = {
  // The first is that of completions, the second what a model thinks in either.
  contentTexts: ['response', 'thinking'],
};
