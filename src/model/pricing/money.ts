/**
 * US dollars in whole units of 10⁻¹² USD (the store's `Decimal(38, 12)`) as a bigint, so that sums are exact. A `number` of dollars occurs
 * only at the edges: prices that come in as floating point, and JSON that goes out.
 */
export type Money = bigint & { readonly __unit: 'USD·10⁻¹²' };

const scale = 12;
const unitsPerUsd = 10n ** BigInt(scale);
/** `Decimal(38, 12)` has 26 digits before the point; anything larger is not a price. */
const maxUnits = 10n ** 38n - 1n;

export const zeroMoney = 0n as Money;

export function moneyOfUnits(units: bigint): Money {
  return units as Money;
}

/**
 * Parses a plain or exponent decimal (`0.0123`, `1.5e-7`) exactly; digits beyond 10⁻¹² round half away from zero. @returns undefined when
 * the text is not a finite decimal or is out of range.
 */
export function parseMoney(text: string): Money | undefined {
  const decimal = readDecimal(text);
  if (decimal === undefined) return undefined;
  const { integerPart, rest, divisor } = decimal;
  return moneyWithin(signed(rest * 2n < divisor ? integerPart : integerPart + 1n, decimal));
}

/** The nearest amounts at or below and at or above a number; equal when the number is an amount. */
export interface MoneyBounds {
  readonly floor: Money;
  readonly ceil: Money;
}

/**
 * The amounts around a number of dollars, taken as the shortest decimal text that JavaScript writes for it: `0.1 + 0.2` is
 * 0.30000000000000004, which lies above 0.3. @returns undefined for a non-finite number or one out of range.
 */
export function moneyBoundsOfUsd(usd: number): MoneyBounds | undefined {
  const decimal = Number.isFinite(usd) ? readDecimal(String(usd)) : undefined;
  if (decimal === undefined) return undefined;
  const towardsZero = moneyWithin(signed(decimal.integerPart, decimal));
  const away = moneyWithin(signed(decimal.rest === 0n ? decimal.integerPart : decimal.integerPart + 1n, decimal));
  if (towardsZero === undefined || away === undefined) return undefined;
  return decimal.negative ? { floor: away, ceil: towardsZero } : { floor: towardsZero, ceil: away };
}

/** Rounds to 10⁻¹² USD. @returns undefined for a non-finite number or one out of range. */
export function moneyOfUsd(usd: number): Money | undefined {
  return Number.isFinite(usd) ? parseMoney(String(usd)) : undefined;
}

/** Exact decimal text with twelve digits after the point, as the store's parameters need it. */
export function moneyText(money: Money): string {
  const magnitude = money < 0n ? -money : money;
  const fraction = (magnitude % unitsPerUsd).toString().padStart(scale, '0');
  return `${money < 0n ? '-' : ''}${magnitude / unitsPerUsd}.${fraction}`;
}

/** The nearest JSON number of dollars; rounds exactly once. */
export function usdOf(money: Money): number {
  return Number(moneyText(money));
}

export function usdOrNull(money: Money | null): number | null {
  return money === null ? null : usdOf(money);
}

/** The size of a decimal in units of 10⁻¹² USD: `whole` of them and `rest` / `divisor` of one. */
interface Decimal {
  readonly negative: boolean;
  readonly integerPart: bigint;
  readonly rest: bigint;
  readonly divisor: bigint;
}

/** No JavaScript number prints more places; a decimal beyond them counts as a tiny part of a unit. */
const maxPlaces = 400;

function readDecimal(text: string): Decimal | undefined {
  const match = /^([+-]?)(\d{0,40})(?:\.(\d{0,60}))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, sign, integerPart = '', fraction = '', exponentText = '0'] = match;
  if (integerPart === '' && fraction === '') return undefined;
  const shift = Number(exponentText) - fraction.length + scale;
  const digits = BigInt(`${integerPart}${fraction}`);
  if (shift > 60 && digits !== 0n) return undefined;
  const negative = sign === '-';
  if (shift >= 0) return { negative, integerPart: digits * 10n ** BigInt(Math.min(shift, 60)), rest: 0n, divisor: 1n };
  const divisor = 10n ** BigInt(Math.min(-shift, maxPlaces));
  return { negative, integerPart: digits / divisor, rest: digits % divisor, divisor };
}

function signed(units: bigint, { negative }: Decimal): bigint {
  return negative ? -units : units;
}

function moneyWithin(units: bigint): Money | undefined {
  return units > maxUnits || units < -maxUnits ? undefined : (units as Money);
}
