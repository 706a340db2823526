const decimalMark = new Intl.NumberFormat().formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';

/** As wide as a digit, and as a point, where digits have one width. */
const figureSpace = '\u2007';
const pointSpace = '\u2008';

/** Figures of a column, at the right of it, with their decimals below one another: those with fewer have space behind them. */
export function alignDecimals(texts: readonly string[]): readonly string[] {
  const parts = texts.map(partsOf);
  const longest = new Map<string, number>();
  for (const part of parts) {
    if (part !== undefined) longest.set(part.unit, Math.max(longest.get(part.unit) ?? 0, part.decimals));
  }
  return texts.map((text, index) => {
    const part = parts[index];
    return part === undefined ? text : padded(part, longest.get(part.unit) ?? 0);
  });
}

interface Parts {
  readonly figure: string;
  readonly decimals: number;
  readonly unit: string;
}

/** @returns undefined for a text that is no figure. */
function partsOf(text: string): Parts | undefined {
  const [, figure, unit = ''] = /^(.*\d)(\D*)$/.exec(text) ?? [];
  if (figure === undefined) return undefined;
  const mark = figure.lastIndexOf(decimalMark);
  return { figure, decimals: mark === -1 ? 0 : figure.length - mark - 1, unit };
}

function padded({ figure, decimals, unit }: Parts, most: number): string {
  if (decimals === most) return figure + unit;
  return `${figure}${decimals === 0 ? pointSpace : ''}${figureSpace.repeat(most - decimals)}${unit}`;
}
