/** Characters that are shown of a longer text, unless a place has room for fewer. */
const standardLength = 2000;
/** A text that is longer by no more than this part of it is shown whole. */
const slack = 0.25;
/** Characters of a block that is laid out at once. */
const blockLength = 8000;

/** The beginning of a long text: up to a line's end or a space near the limit; a short text as it is. */
export function cutText(text: string, shownLength = standardLength): string {
  if (text.length <= shownLength * (1 + slack)) return text;
  return text.slice(0, endNear(text, shownLength, shownLength * slack));
}

/** A text in blocks that together are the text, each without the line break at its end. */
export function blocksOf(text: string): readonly string[] {
  const blocks: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = text.length - at <= blockLength ? text.length : endNear(text, at + blockLength, blockLength);
    blocks.push(text.slice(at, end));
    at = text[end] === '\n' ? end + 1 : end;
  }
  return blocks;
}

/** The place of the last line break or space before a limit; the limit itself where none is near, but in no pair of surrogates. */
function endNear(text: string, limit: number, near: number): number {
  for (const separator of ['\n', ' ']) {
    const found = text.lastIndexOf(separator, limit);
    if (found > limit - near) return found;
  }
  const code = text.charCodeAt(limit - 1);
  return code >= 0xd800 && code < 0xdc00 ? limit - 1 : limit;
}
