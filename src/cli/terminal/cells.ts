import stringWidth from 'string-width';

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Cells of a terminal that a text takes: wide characters and emoji take two. */
export function cellsOf(text: string): number {
  return isPlain(text) ? text.length : stringWidth(text);
}

/** The text within a width; what is cut is an ellipsis. */
export function cut(text: string, width: number): string {
  if (cellsOf(text) <= width) return text;
  if (width < 1) return '';
  let taken = '';
  let cells = 0;
  for (const { segment } of characters.segment(text)) {
    cells += cellsOf(segment);
    if (cells > width - 1) break;
    taken += segment;
  }
  return `${taken.trimEnd()}…`;
}

/** The text with spaces up to a width. */
export function padded(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const spaces = ' '.repeat(Math.max(0, width - cellsOf(text)));
  return side === 'left' ? text + spaces : spaces + text;
}

function isPlain(text: string): boolean {
  return /^[\u0020-\u007e]*$/.test(text);
}
