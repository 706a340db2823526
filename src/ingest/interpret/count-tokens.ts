import { createRequire } from 'node:module';
import type GptEncoding from 'gpt-tokenizer/encoding/o200k_base';

/**
 * Counts tokens of texts for which no provider counted them. It costs 150 ms and some 70 MB when it is first asked, which on most days it
 * never is; so the vocabulary is loaded then, and not before.
 */
const load = createRequire(import.meta.url);

type Vocabulary = Pick<typeof GptEncoding, 'countTokens' | 'setMergeCacheSize'>;
type VocabularyName = 'o200k_base' | 'cl100k_base';

/** Models from before OpenAI's present vocabulary. That one stands for everyone else's as well, who publish none. */
const olderModels = /^(?:gpt-4(?:-|$)|gpt-3\.?5|text-embedding-|davinci-002|babbage-002)/;

/** Characters of one text that are read; what is beyond counts as much a character as they did. */
export const maxCountedCharacters = 8 * 1024;

/**
 * TRICKY: a word costs the square of its length, and a text without spaces is one word. So texts are read in pieces of at most so many
 * characters, cut where a space is, which is no place inside a token, and of pieces with long words fewer are read.
 */
const maxPiece = 96;
/** Squares of the longest words of the pieces, added up: a dozen pieces without a space, or any number with ordinary words. */
const maxWork = 12 * maxPiece ** 2;

/** Words whose tokens are remembered. */
const maxRememberedWords = 10_000;

const vocabularies = new Map<VocabularyName, Vocabulary>();

/** About how many tokens a text is for a model. */
export function countTokens(text: string, model: string): number {
  if (text === '') return 0;
  const vocabulary = vocabularyFor(model);
  let tokens = 0;
  let read = 0;
  for (let work = 0; read < Math.min(text.length, maxCountedCharacters) && work < maxWork;) {
    const piece = text.slice(read, endOfPiece(text, read));
    // What looks like a control token is text here.
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
