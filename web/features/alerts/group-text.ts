import { type DimensionValue, dimensionTitle, valueTitle } from '../../lib/metrics/dimensions.ts';

type RuleGroup = Readonly<Record<string, DimensionValue>>;

/** Of sessions, by their identifiers. */
export type Names = ReadonlyMap<string, string>;

const noNames: Names = new Map();

/** A group by its values, in the order of the dimensions: `search · gpt-4o`; empty of a rule without groups. */
export function groupValuesText(group: RuleGroup, names = noNames): string {
  return Object.entries(group)
    .map((one) => titleOf(one, names))
    .join(' · ');
}

/** A group with the names of its dimensions: `Team: search · Model: gpt-4o`. */
export function groupText(group: RuleGroup, names = noNames): string {
  const parts = Object.entries(group).map((one) => `${dimensionTitle(one[0])}: ${titleOf(one, names)}`);
  return parts.length === 0 ? 'all requests' : parts.join(' · ');
}

function titleOf([dimension, value]: readonly [string, DimensionValue], names: Names): string {
  return (dimension === 'session' ? names.get(String(value)) : undefined) ?? valueTitle(dimension, value);
}
