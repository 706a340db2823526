import { type DimensionValue, dimensionTitle, valueTitle } from '../../lib/metrics/dimensions.ts';

/** A group by its values, in the order of the dimensions: `search · gpt-4o`; empty of a rule without groups. */
export function groupValuesText(group: Readonly<Record<string, DimensionValue>>): string {
  return Object.entries(group)
    .map(([dimension, value]) => valueTitle(dimension, value))
    .join(' · ');
}

/** A group with the names of its dimensions: `Team: search · Model: gpt-4o`. */
export function groupText(group: Readonly<Record<string, DimensionValue>>): string {
  const parts = Object.entries(group).map(([dimension, value]) => `${dimensionTitle(dimension)}: ${valueTitle(dimension, value)}`);
  return parts.length === 0 ? 'all requests' : parts.join(' · ');
}
