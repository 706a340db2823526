import { shownAmount, shownBytes, shownNumber } from '../base/progress.ts';
import { type Finding, ok, skip, warn } from './finding.ts';
import type { Probe } from './probe.ts';

/** Numbers of a page for Prometheus, over all labels. @returns undefined without the metric. */
export function figureIn(page: string, metric: string, combine: 'sum' | 'max' = 'sum'): number | undefined {
  const lines = [...page.matchAll(new RegExp(String.raw`^${metric}(?:\{[^}\n]*\})? (\S+)`, 'gm'))];
  const values = lines.map(([, text]) => Number(text)).filter((value) => Number.isFinite(value));
  if (values.length === 0) return undefined;
  return combine === 'max' ? Math.max(...values) : values.reduce((total, value) => total + value, 0);
}

const lateSeconds = 10;

/** How far the record is behind the calls, and what is not on record, as `/metrics` tells. */
export function checkFigures(answer: Probe, hasKey: boolean): readonly Finding[] {
  if ('code' in answer || answer.status !== 200) {
    const needsKey = 'status' in answer && answer.status === 401;
    const remedy = needsKey ? `${hasKey ? 'Correct' : 'Set'} GATELOG_METRICS_KEY here to what the service has.` : undefined;
    return [
      skip('record', needsKey ? 'The service shows its figures with GATELOG_METRICS_KEY only.' : 'The service shows no figures.', remedy),
    ];
  }
  const { text } = answer;
  return [...lag(text), ...spool(text), ...prices(text), ...losses(text)];
}

function lag(page: string): readonly Finding[] {
  const seconds = figureIn(page, 'gatelog_spool_oldest_waiting_seconds', 'max');
  const waiting = figureIn(page, 'gatelog_spool_exchanges_waiting');
  if (seconds === undefined || waiting === undefined) return [];
  if (waiting === 0) return [ok('record', 'nothing waits: each call that has ended can be found')];
  const says = `${shownAmount(waiting, 'call')} that ended up to ${seconds.toFixed(1)} s ago ${waiting === 1 ? 'waits' : 'wait'} to be stored`;
  if (seconds <= lateSeconds) return [ok('record', says)];
  return [warn('record', `${says}.`, 'Look at the parts above and at the load of the machine.')];
}

function spool(page: string): readonly Finding[] {
  const bytes = figureIn(page, 'gatelog_spool_bytes', 'max');
  const max = figureIn(page, 'gatelog_spool_max_bytes', 'max');
  if (bytes === undefined || max === undefined || max === 0) return [];
  const says = `the spool holds ${shownBytes(bytes)} of at most ${shownBytes(max)}`;
  if (bytes / max < 0.5) return [ok('spool', says)];
  return [warn('spool', `${says}.`, 'Find out why records do not get into the store: when it is full, calls go on unrecorded.')];
}

const secondsPerDay = 86_400;
/** Makers bring models out by the month. */
const staleDays = 90;

/** How old the list prices are, and how many calls have none. */
function prices(page: string): readonly Finding[] {
  const age = figureIn(page, 'gatelog_price_list_age_seconds', 'max');
  const unpriced = figureIn(page, String.raw`gatelog_calls_today(?=\{[^}\n]*cost="unknown")`);
  const calls = figureIn(page, 'gatelog_calls_today');
  if (age === undefined || unpriced === undefined || calls === undefined) return [];
  const days = Math.floor(age / secondsPerDay);
  const old = `the public price list is ${shownAmount(days, 'day')} old`;
  const list =
    days < staleDays
      ? ok('prices', old)
      : warn('prices', `${old}.`, 'A newer Gatelog has a newer one; "gatelog prices import" takes one at once.');
  if (unpriced === 0) return [list];
  const share = `${shownAmount(unpriced, 'call')} of today's ${shownNumber(calls)} (${((100 * unpriced) / calls).toFixed(1)} %) ${unpriced === 1 ? 'has' : 'have'} no price.`;
  return [list, warn('prices', share, '"gatelog report unpriced" names the models, and the lines that price them.')];
}

/** What is lost, or waits for somebody. */
function losses(page: string): readonly Finding[] {
  const rows = [
    [
      'gatelog_gateway_unrecorded_total',
      'call',
      'not on record since the service started',
      'The log of the service names the reason: a full spool or disk.',
    ],
    [
      'gatelog_dead_letters_kept',
      'exchange',
      'kept as dead letters, because they could not be stored',
      '"gatelog dead-letters list" shows why; "gatelog dead-letters replay" tries again.',
    ],
    [
      'gatelog_store_damaged_parts',
      'part',
      'of the store damaged',
      '"gatelog store check" names them; docs/operations/damaged-store.md says what to do.',
    ],
    ['gatelog_process_exits_total', 'process', 'of the service ended unasked and started again', 'The log of the service says why.'],
  ] as const;
  return rows.flatMap(([metric, noun, what, remedy]) => {
    const count = figureIn(page, metric) ?? 0;
    return count === 0 ? [] : [warn('record', `${shownAmount(count, noun)} ${count === 1 ? 'is' : 'are'} ${what}.`, remedy)];
  });
}
