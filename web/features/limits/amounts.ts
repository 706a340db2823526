import type { NumberBounds } from '../../ui/form/number-field.tsx';
import type { Policy } from './policy.ts';

/** Requests, or cents. */
const maxQuota = 1_000_000_000;

/** Of what is typed: dollars, or requests. */
export const amountBounds: Readonly<Record<Policy['unit'], NumberBounds>> = {
  cents: { above: 0, max: maxQuota / 100 },
  request: { isWhole: true, min: 1, max: maxQuota },
};

/** The quota of a policy, to the millionth of a cent, without the noise of binary fractions. @param amount dollars or requests. */
export function quotaOf(unit: Policy['unit'], amount: number): number {
  return unit === 'cents' ? Number((amount * 100).toFixed(6)) : amount;
}

/** What a reader types for a quota. */
export function amountOf({ unit, quota }: Policy): string {
  return String(unit === 'cents' ? Number((quota / 100).toFixed(8)) : quota);
}
