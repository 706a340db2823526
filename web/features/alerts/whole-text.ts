import type { Alert, NewAlert } from '../../../src/client/client.ts';
import { alertLimits } from '../../../src/model/events/alert-vocabulary.ts';
import { searchOfFilter } from '../../lib/filter-text.ts';
import { dimensionTitle } from '../../lib/metrics/dimensions.ts';
import { ruleText } from './measure-text.ts';
import { dimensionsOf } from './rule/rule-draft.ts';

/** A rule as a sentence, with its groups and its search. */
export function wholeText(rule: Alert | NewAlert): string {
  const isProperty = 'grouping_is_property' in rule && rule.grouping_is_property === true;
  const dimensions = dimensionsOf(rule.grouping ?? null, isProperty);
  const search = rule.filter === undefined ? '' : (searchOfFilter(rule.filter) ?? 'a filter that only the API shows');
  const each = dimensions.length === 0 ? '' : `, for each ${dimensions.map(dimensionTitle).join(' and ')}`;
  return `${ruleText(rule)}${each}${search === '' ? '' : `, where ${search}`}`;
}

/** The name of a rule that got none: its sentence, as far as a name is long. */
export function nameFor(rule: NewAlert): string {
  const text = wholeText(rule);
  return text.length <= alertLimits.nameCharacters ? text : `${text.slice(0, alertLimits.nameCharacters - 1)}…`;
}
