const fence = /^ {0,3}(`{3,}|~{3,})/;

/**
 * A text cut between paragraphs, each piece as long as fits, so that the pieces in turn are the text. A paragraph, or code between fences,
 * that is longer is a piece of its own.
 * @param length in characters.
 */
export function piecesOf(text: string, length: number): readonly string[] {
  if (text.length <= length) return [text];
  const pieces: string[] = [];
  let piece = '';
  for (const paragraph of paragraphsOf(text)) {
    if (piece !== '' && piece.length + paragraph.length > length) {
      pieces.push(piece);
      piece = '';
    }
    piece += paragraph;
  }
  return piece === '' ? pieces : [...pieces, piece];
}

/** Each with the empty lines behind it; code between fences is one. */
function paragraphsOf(text: string): readonly string[] {
  const paragraphs: string[] = [];
  let open: string | undefined;
  let isAtEnd = false;
  let paragraph: string[] = [];
  const end = (): void => {
    if (paragraph.length > 0) paragraphs.push(paragraph.join(''));
    paragraph = [];
  };
  for (const line of text.split(/(?<=\n)/)) {
    const marks = fence.exec(line)?.[1];
    const isEmpty = line.trim() === '';
    if (open === undefined && ((isAtEnd && !isEmpty) || marks !== undefined)) end();
    paragraph.push(line);
    const isClosed = open !== undefined && closesCode(line, open);
    if (open === undefined) open = marks;
    else if (isClosed) open = undefined;
    isAtEnd = open === undefined && (isEmpty || isClosed);
  }
  end();
  return paragraphs;
}

/** @param open the marks that began the code. */
export function closesCode(line: string, open: string): boolean {
  const marks = line.trim();
  return marks.length >= open.length && marks === (open[0] ?? '').repeat(marks.length);
}
