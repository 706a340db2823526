/** Tokens that an answer may take: unless asked otherwise, and the bounds of what may be asked. */
export const tokenLimits = { standard: 4000, least: 500, most: 20_000 } as const;

/**
 * UTF-8 bytes of a token. Less than the average of any text that we answer with: identifiers, times and numbers take more tokens for their
 * length than prose does. A test compares it with a real tokenizer.
 */
const bytesOfToken = 2;

/** The tokens that a text takes at most. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesOfToken);
}

/** How many of the first texts fit, and at least one. */
export function fitting(texts: readonly string[], tokens: number): number {
  let left = tokens;
  const first = texts.findIndex((text) => (left -= tokensOf(text)) < 0);
  return first === -1 ? texts.length : Math.max(1, first);
}

/** The beginning of a text that takes so many tokens; a character of two units stays whole. */
export function beginningOf(text: string, tokens: number): string {
  if (tokensOf(text) <= tokens) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tokensOf(text.slice(0, middle)) <= tokens) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, isHighSurrogate(text, low - 1) ? low - 1 : low);
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}
