import { createRequire } from 'node:module';
import type GptEncoding from 'gpt-tokenizer/encoding/o200k_base';

/** Loads a vocabulary at first use: it takes 150 ms and about 70 MB, and is rarely needed. */
const load = createRequire(import.meta.url);

type Vocabulary = Pick<typeof GptEncoding, 'countTokens' | 'setMergeCacheSize'>;
type VocabularyName = 'o200k_base' | 'cl100k_base';

/** OpenAI models with the older vocabulary. All others, also of other providers, which publish none, are counted with the current one. */
const olderModels = /^(?:gpt-4(?:-|$)|gpt-3\.?5|text-embedding-|davinci-002|babbage-002)/;

/** Max characters of a text that are tokenised; the count of the rest is extrapolated. */
export const maxCountedCharacters = 8 * 1024;

/**
 * TRICKY: tokenising a word takes time quadratic in its length, and a text without spaces is one word. So texts are read in pieces of at
 * most this many characters, cut before a space, where a token ends; of texts with long words fewer pieces are read.
 */
const maxPiece = 96;
/** Max sum of the squares of the pieces' longest words: a dozen pieces without a space, or any number with ordinary words. */
const maxWork = 12 * maxPiece ** 2;

/** Max words whose tokens are cached. */
const maxRememberedWords = 10_000;

const vocabularies = new Map<VocabularyName, Vocabulary>();

/** Estimates a text's number of tokens for a model. */
export function countTokens(text: string, model: string): number {
  if (text === '') return 0;
  const vocabulary = vocabularyFor(model);
  let tokens = 0;
  let read = 0;
  for (let work = 0; read < Math.min(text.length, maxCountedCharacters) && work < maxWork;) {
    const piece = text.slice(read, endOfPiece(text, read));
    // Control tokens in the text count as text.
    tokens += vocabulary.countTokens(piece, { disallowedSpecial: new Set() });
    work += Math.max(...piece.split(' ').map((word) => word.length)) ** 2;
    read += piece.length;
  }
  return Math.round((tokens * text.length) / read);
}

function vocabularyFor(model: string): Vocabulary {
  const name: VocabularyName = olderModels.test(model) ? 'cl100k_base' : 'o200k_base';
  const known = vocabularies.get(name);
  if (known !== undefined) return known;
  const loaded = load(`gpt-tokenizer/encoding/${name}`) as Vocabulary;
  loaded.setMergeCacheSize(maxRememberedWords);
  vocabularies.set(name, loaded);
  return loaded;
}

function endOfPiece(text: string, start: number): number {
  const end = start + maxPiece;
  if (end >= text.length) return text.length;
  const space = text.lastIndexOf(' ', end);
  return space > start ? space : end;
}
