import type { NewAlert } from '../../../src/client/client.ts';
import { filterText, searchOfFilter } from '../../lib/filter-text.ts';
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
  return parts.length === 0 ? everyRequest : parts.join(' · ');
}

const everyRequest = 'all requests';

/** A group of a rule; of a rule without groups what its requests match. */
export function groupOfRule(group: RuleGroup, { filter }: Pick<NewAlert, 'filter'>, names = noNames): string {
  const isWhole = Object.keys(group).length === 0 && searchOfFilter(filter) !== '';
  return isWhole ? filterText(filter) : groupText(group, names);
}

function titleOf([dimension, value]: readonly [string, DimensionValue], names: Names): string {
  return (dimension === 'session' ? names.get(String(value)) : undefined) ?? valueTitle(dimension, value);
}
