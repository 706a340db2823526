import type { Money } from '../../model/pricing/money.ts';

/** Decimal places of a quotient before it becomes a JSON number: more than such a number can distinguish here. */
const places = 60;

/** The nearest JSON number of a quotient of whole numbers; 0 for no parts. */
export function average(total: bigint, parts: bigint): number {
  if (parts === 0n) return 0;
  const scaled = (total * 10n ** BigInt(places)) / parts;
  return Number(`${scaled}e-${places}`);
}

/** The nearest JSON number of dollars of an amount divided by `parts`. */
export function usdRatioOf(total: Money, parts: bigint): number {
  return average(total, parts * 10n ** 12n);
}
