/**
 * Rows as text: every column but the last is padded to its widest cell, two spaces between. Control characters become U+FFFD, so that a
 * name cannot move the terminal's cursor.
 */
export function textTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) => row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  '))
    .join('\n');
}

/** Replaces what could move the terminal's cursor or turn its direction, control characters above all, by U+FFFD. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, '\u{fffd}');
}
