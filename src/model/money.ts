/**
 * Amounts of US dollars, in whole units of 10⁻¹² USD (the store's `Decimal(38, 12)`), as a bigint: adding a million costs is exact.
 * A `number` of dollars appears only at the two rims: prices that come in as floating point, and JSON that goes out.
 */
export type Money = bigint & { readonly __unit: 'USD·10⁻¹²' };

const scale = 12;
const unitsPerUsd = 10n ** BigInt(scale);
/** `Decimal(38, 12)` holds 26 digits before the point; anything larger is not a price. */
const largestUnits = 10n ** 38n - 1n;

export const zeroMoney = 0n as Money;

/** Units of 10⁻¹² USD as Money. */
export function moneyOfUnits(units: bigint): Money {
  return units as Money;
}

/**
 * Reads a plain or exponent decimal text (`0.0123`, `1.5e-7`) exactly; digits beyond 10⁻¹² round half away from zero.
 * @returns undefined when the text is not a finite decimal or is out of range.
 */
export function parseMoney(text: string): Money | undefined {
  const match = /^([+-]?)(\d{0,40})(?:\.(\d{0,60}))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponentText = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const shift = Number(exponentText) - fraction.length + scale;
  const digits = BigInt(`${whole}${fraction}`);
  if (shift > 60 && digits !== 0n) return undefined;
  const units = shift >= 0 ? digits * 10n ** BigInt(Math.min(shift, 60)) : roundedQuotient(digits, -shift);
  if (units > largestUnits) return undefined;
  return (sign === '-' ? -units : units) as Money;
}

/** Rounds a number of dollars to 10⁻¹² USD. @returns undefined for a non-finite or impossibly large number. */
export function moneyOfUsd(usd: number): Money | undefined {
  return Number.isFinite(usd) ? parseMoney(String(usd)) : undefined;
}

/** Exact decimal text with twelve digits after the point: the form that the store takes. */
export function moneyText(money: Money): string {
  const magnitude = money < 0n ? -money : money;
  const fraction = (magnitude % unitsPerUsd).toString().padStart(scale, '0');
  return `${money < 0n ? '-' : ''}${magnitude / unitsPerUsd}.${fraction}`;
}

/** The nearest JSON number of dollars; rounds exactly once. */
export function usdOf(money: Money): number {
  return Number(moneyText(money));
}

function roundedQuotient(digits: bigint, places: number): bigint {
  if (places > 120) return 0n;
  const divisor = 10n ** BigInt(places);
  return (digits + divisor / 2n) / divisor;
}
