import type { SessionItem } from '../../../src/client/client.ts';
import { alertLimits } from '../../../src/model/events/alert-vocabulary.ts';
import { searchFor } from '../../lib/search-text.ts';
import type { NewAlertSearch } from '../alerts/search.ts';
import { hasRunAway } from './usual/usual.ts';
import type { Beside } from './usual/usual-query.ts';

/** A rule on sessions like this one, as the form of rules begins: on those of its name, or of its properties. */
export function alertOn(
  { session_name: name, total_cost: cost }: Pick<SessionItem, 'session_name' | 'total_cost'>,
  lengthMs: number,
  beside: Pick<Beside, 'own' | 'usual' | 'list'> | null | undefined,
): NewAlertSearch {
  const q = name === '' ? beside?.list?.q : searchFor('session_name', name);
  return { q, metric: 'cost', by: ['session'], threshold: thresholdFor(cost, beside), minutes: windowMinutes(lengthMs) };
}

const timesUsual = 10;

/** Far above what is usual, but reached by this session where it ran away itself. */
function thresholdFor(cost: number, beside: Pick<Beside, 'own' | 'usual'> | null | undefined): number {
  const { own, usual } = beside ?? {};
  if (own === undefined || usual === undefined || usual.cost <= 0) return belowIt(cost);
  const far = Number((timesUsual * usual.cost).toPrecision(1));
  return hasRunAway(own, usual) ? Math.min(far, belowIt(cost)) : far;
}

const longestWindowHours = alertLimits.windowMaxMs / 3_600_000;

/** The window of a rule that holds a session of this length: whole hours, in minutes. */
function windowMinutes(ms: number): number {
  return 60 * Math.min(longestWindowHours, Math.max(1, Math.ceil(ms / 3_600_000)));
}

/** Two digits of a cost, rounded down: a session like this one reaches it. */
function belowIt(cost: number): number {
  const unit = 10 ** (Math.floor(Math.log10(cost)) - 1);
  return Number((Math.floor(cost / unit) * unit).toPrecision(2));
}
