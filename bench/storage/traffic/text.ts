import { makeRandom } from '../../query/records.ts';

/** A sequence of numbers from 0 to below 1. */
export type Draw = () => number;

/**
 * Text as people and models write it, as far as a compressor can tell: words by Zipf's law out of one vocabulary, of which frequent ones are
 * short, in sentences with punctuation, lists and quotes, and code with indentation. Quotes, backslashes and line feeds become escapes in JSON.
 * Of a megabyte gzip leaves a third, as of this project's documentation (prose 1 ÷ 2.98, documentation 1 ÷ 3.08; code 1 ÷ 3.1, the sources 1 ÷ 3.9).
 */

const vocabularySize = 8000;
const syllables = [
  'ta',
  'ren',
  'li',
  'mo',
  'se',
  'ing',
  'con',
  'de',
  'ra',
  'ti',
  'on',
  'per',
  'al',
  'ver',
  'su',
  'est',
  'ma',
  'pro',
  'ne',
  'ch',
];
/** Shifts the most frequent ranks together, as in natural languages (Zipf–Mandelbrot). */
const rankShift = 2.7;

const vocabulary = makeVocabulary(makeRandom(101));
const cumulative = cumulativeShares(vocabularySize, 1);

function makeVocabulary(draw: Draw): readonly string[] {
  const words = new Set<string>();
  while (words.size < vocabularySize) {
    const rank = words.size;
    const count = 1 + Math.floor(Math.log10(rank + 1) * 0.8 + draw());
    words.add(
      Array.from({ length: count }, () => pick(draw, syllables)).join('') + (draw() < 0.3 ? pick(draw, ['s', 'e', 'y', 'ed', 'n']) : ''),
    );
  }
  return [...words];
}

/** Shares of so many ranks by Zipf's law, each added to those before it. */
export function cumulativeShares(ranks: number, exponent: number): readonly number[] {
  let total = 0;
  const sums = Array.from({ length: ranks }, (_, rank) => (total += (rank + rankShift) ** -exponent));
  return sums.map((sum) => sum / total);
}

/** A rank drawn by shares of {@link cumulativeShares}. */
export function drawRank(draw: Draw, shares: readonly number[]): number {
  const sought = draw();
  let [low, high] = [0, shares.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shares[middle] ?? 1) > sought) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function pick<Value>(draw: Draw, values: readonly Value[]): Value {
  return values[Math.floor(draw() * values.length)] as Value;
}

/** A whole number from `min` to `max`. */
export function between(draw: Draw, min: number, max: number): number {
  return min + Math.floor(draw() * (max - min + 1));
}

export function word(draw: Draw): string {
  return vocabulary[drawRank(draw, cumulative)] ?? '';
}

/** Letters and digits, as identifiers of providers have them. */
export function token(draw: Draw, length: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  return Array.from({ length }, () => alphabet[Math.floor(draw() * alphabet.length)]).join('');
}

function sentence(draw: Draw): string {
  const words = Array.from({ length: between(draw, 5, 20) }, () => word(draw));
  const quoted = draw() < 0.06 ? between(draw, 0, words.length - 1) : -1;
  const written = words.map((one, index) => {
    const shown = index === quoted ? `"${one}"` : one;
    return index < words.length - 1 && draw() < 0.08 ? `${shown}${pick(draw, [',', ',', ';', ' —'])}` : shown;
  });
  const text = written.join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${pick(draw, ['.', '.', '.', '.', ':', '?'])}`;
}

function name(draw: Draw): string {
  const second = word(draw);
  return `${word(draw)}${second.charAt(0).toUpperCase()}${second.slice(1)}`;
}

function codeLine(draw: Draw): string {
  const indent = '  '.repeat(between(draw, 0, 3));
  const lines = [
    () => `const ${name(draw)} = await ${name(draw)}(${word(draw)}, ${between(draw, 0, 999)});`,
    () => `if (${name(draw)} === "${word(draw)}") return ${name(draw)};`,
    () => `// ${word(draw)} ${word(draw)} ${word(draw)} ${word(draw)}`,
    () => `throw new Error(\`${word(draw)} \${${word(draw)}} ${word(draw)}\\n\`);`,
    () => `${name(draw)}.${word(draw)}({ ${word(draw)}: '${word(draw)}', ${word(draw)}: ${between(draw, 0, 99)} });`,
    () => '}',
  ];
  return `${indent}${pick(draw, lines)()}`;
}

/** Lines of a program of about so many bytes. */
export function code(draw: Draw, bytes: number): string {
  let text = codeLine(draw);
  while (text.length < bytes) text += `\n${codeLine(draw)}`;
  return text;
}

/** Paragraphs, lists and some code of about so many bytes. @param codeShare of the text. */
export function prose(draw: Draw, bytes: number, codeShare = 0): string {
  const codeBytes = bytes * codeShare;
  let text = sentence(draw);
  while (text.length < bytes - codeBytes) {
    const kind = draw();
    text += `${kind < 0.12 ? '\n\n' : kind < 0.2 ? '\n- ' : ' '}${sentence(draw)}`;
  }
  return codeBytes < 1 ? text : `${text}\n\n\`\`\`ts\n${code(draw, codeBytes)}\n\`\`\``;
}

/** Bytes that no compressor makes smaller, as base64. */
export function incompressible(draw: Draw, bytes: number): string {
  const data = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at += 1) data[at] = Math.floor(draw() * 256);
  return data.toString('base64');
}
