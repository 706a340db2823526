import { ownOf } from './own.ts';

const decimalMark = new Intl.NumberFormat().formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';

/** As wide as a digit, and as a point, where digits have one width. */
const figureSpace = '\u2007';
const pointSpace = '\u2008';

/** Figures of a column, at the right of it, with their decimals below one another: those with fewer have space behind them. */
export function alignDecimals(texts: readonly string[]): readonly string[] {
  const most = mostDecimals(texts.map(figureParts));
  return texts.map((text) => alignedWith(text, most));
}

export interface FigureParts {
  readonly figure: string;
  readonly decimals: number;
  readonly unit: string;
}

/** The most decimals of a column's figures, by their unit. */
export type MostDecimals = Readonly<Record<string, number>>;

export function mostDecimals(figures: Iterable<FigureParts | undefined>): MostDecimals {
  const most = new Map<string, number>();
  for (const part of figures) {
    if (part !== undefined) most.set(part.unit, Math.max(most.get(part.unit) ?? 0, part.decimals));
  }
  return Object.fromEntries(most);
}

/** A figure of a column whose other figures have so many decimals. */
export function alignedWith(text: string, most: MostDecimals): string {
  const part = figureParts(text);
  return part === undefined ? text : padded(part, Math.max(part.decimals, ownOf(most, part.unit) ?? 0));
}

/** @returns undefined for a text that is no figure. */
export function figureParts(text: string): FigureParts | undefined {
  const [, figure, unit = ''] = /^(.*\d)(\D*)$/.exec(text) ?? [];
  if (figure === undefined) return undefined;
  const mark = figure.lastIndexOf(decimalMark);
  return { figure, decimals: mark === -1 ? 0 : figure.length - mark - 1, unit };
}

function padded({ figure, decimals, unit }: FigureParts, most: number): string {
  if (decimals === most) return figure + unit;
  return `${figure}${decimals === 0 ? pointSpace : ''}${figureSpace.repeat(most - decimals)}${unit}`;
}
