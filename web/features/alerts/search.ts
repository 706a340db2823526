import { aggregatedColumns, failedPercent } from '../../../src/model/events/alert-vocabulary.ts';
import { metrics } from '../../../src/model/vocabulary/metrics.ts';
import { type CalendarUnit, calendarUnits } from '../../../src/model/time/calendar.ts';
import type { NewAlert } from '../../../src/client/client.ts';
import type { Dimension } from '../../lib/metrics/dimensions.ts';
import { textParam } from '../../lib/search-param.ts';

/** What an address may already say about a rule to be made. */
export interface NewAlertSearch {
  /** The search that its requests match, in the language of `src/query/language`. */
  readonly q?: string | undefined;
  /** A metric of rules or of `/v1/metrics/query`. */
  readonly metric?: NewAlert['metric'] | undefined;
  readonly by?: readonly Dimension[] | undefined;
  readonly threshold?: number | undefined;
  /** Length of its window. */
  readonly minutes?: number | undefined;
  /** The running day, week or month, in place of minutes. */
  readonly calendar?: CalendarUnit | undefined;
  /** The time zone of the calendar. */
  readonly zone?: string | undefined;
  /** A rule that also blocks calls, over the running month where no window is said. */
  readonly budget?: true | undefined;
}

export function newAlertSearchOf({
  q,
  metric,
  by,
  threshold,
  minutes,
  budget,
  ...others
}: Readonly<Record<string, unknown>>): NewAlertSearch {
  const calendar = calendarUnits.find((unit) => unit === others['calendar']);
  const zone = textParam(others['zone']);
  const dimensions = Array.isArray(by) ? by.filter((one): one is string => typeof one === 'string').slice(0, 3) : [];
  return {
    q: textParam(q),
    ...(typeof metric === 'string' && isMetric(metric) ? { metric } : {}),
    ...(dimensions.length > 0 ? { by: dimensions } : {}),
    ...(typeof threshold === 'number' && Number.isFinite(threshold) ? { threshold } : {}),
    ...(typeof minutes === 'number' && Number.isFinite(minutes) ? { minutes } : {}),
    ...(calendar === undefined ? {} : { calendar, ...(zone === undefined ? {} : { zone }) }),
    ...(budget === true ? { budget } : {}),
  };
}

function isMetric(name: string): name is NewAlert['metric'] {
  return name === failedPercent || Object.hasOwn(aggregatedColumns, name) || Object.hasOwn(metrics, name);
}

export const alertTabs = ['groups', 'incidents', 'history', 'messages', 'rule'] as const;

export type AlertTab = (typeof alertTabs)[number];

export function alertSearchOf({ tab }: Readonly<Record<string, unknown>>): { readonly tab?: AlertTab | undefined } {
  const known = alertTabs.find((name) => name === tab);
  return known === undefined ? {} : { tab: known };
}
