import { dimensions as definitions } from '../../model/vocabulary/metrics.ts';
import { type Dimension, keyOf } from '../metrics/plan.ts';
import type { AlertRow } from './rows.ts';

export type GroupValue = string | number | boolean | null;

/** The value of each dimension of a rule, in their order. */
export type GroupValues = readonly GroupValue[];

/** The identity of a group within its rule. */
export function groupKeyOf(values: GroupValues): string {
  return JSON.stringify(values);
}

export function groupOfKey(key: string): GroupValues {
  return JSON.parse(key) as GroupValues;
}

/** Of a row with the cells `dimension_0` and so on. Of properties and inputs an empty text is a value. */
export function groupValuesOf(dimensions: readonly Dimension[], row: AlertRow): GroupValues {
  return dimensions.map((dimension, index) => {
    const value = row[`dimension_${index}`] ?? null;
    const isAbsent = dimension.kind === 'column' && definitions[dimension.name].type === 'text' && value === '';
    return isAbsent ? null : value;
  });
}

/** A group in the API's shape. */
export function shownGroup(dimensions: readonly Dimension[], values: GroupValues): Readonly<Record<string, GroupValue>> {
  // TRICKY: a property may have the name `__proto__`.
  return Object.fromEntries(dimensions.map((dimension, index) => [keyOf(dimension), values[index] ?? null]));
}
