import { formatCost } from '../../../lib/format.ts';

/** A share of a whole for readers: 37%, 0.4%. */
export function percent(share: number): string {
  const value = 100 * share;
  return `${value > 0 && value < 1 ? Math.max(0.1, Math.round(10 * value) / 10) : Math.round(value)}%`;
}

const fourDecimals = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  currencyDisplay: 'narrowSymbol',
  minimumFractionDigits: 4,
  maximumFractionDigits: 4,
});
const least = 0.0001;

/** Of a column whose decimals stand below each other. */
export function alignedCost(cost: number | null): string {
  if (cost === null || cost === 0) return formatCost(cost);
  return cost < least ? `<${fourDecimals.format(least)}` : fourDecimals.format(cost);
}
