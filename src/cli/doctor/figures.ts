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
  return [...lag(text), ...spool(text), ...disk(text), ...memory(text), ...clock(text), ...prices(text), ...losses(text)];
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

const leastFreeShare = 0.1;
const networkRemedy =
  'Move the data folder to a local disk or a block device: databases lock and map their files, which others do slowly or wrongly.';

/** Whether the disk of the data folder has room, and is one for databases. */
function disk(page: string): readonly Finding[] {
  const remote = /^gatelog_data_disk_remote\{[^}\n]*type="(\w+)"/m.exec(page)?.[1];
  const warning = remote === undefined ? [] : [warn('disk', `The data folder lies on a file system of the type ${remote}.`, networkRemedy)];
  const [free, size, spare] = ['free', 'size', 'spare'].map((name) => figureIn(page, `gatelog_data_disk_${name}_bytes`, 'max'));
  if (free === undefined || size === undefined || spare === undefined) return warning;
  const says = `the disk of the data folder has ${shownBytes(free)} of ${shownBytes(size)} left`;
  if (free >= size * leastFreeShare && free >= 2 * spare) return [ok('disk', says), ...warning];
  const remedy = `Enlarge it, set GATELOG_RETENTION_DAYS, or look what else fills it: with less than ${shownBytes(spare)} nothing is stored.`;
  return [warn('disk', `${says}.`, remedy), ...warning];
}

const mostUsedShare = 0.9;

/** Whether a container's memory is enough. */
function memory(page: string): readonly Finding[] {
  const limit = figureIn(page, 'gatelog_memory_limit_bytes', 'max');
  const [used, most] = [figureIn(page, 'gatelog_process_resident_memory_bytes'), figureIn(page, 'gatelog_memory_settings_bytes', 'max')];
  if (limit === undefined || used === undefined || most === undefined) return [];
  const says = `its processes use ${shownBytes(used)} of the ${shownBytes(limit)} that the container has`;
  const remedy =
    'Give the container more, or lower GATELOG_STORE_MEMORY_BYTES, GATELOG_STORE_CACHE_BYTES, GATELOG_API_ANSWERS_MAX_BYTES, GATELOG_HELD_BODIES_BYTES or GATELOG_GATEWAY_WORKERS; "gatelog config" in it shows what they are.';
  const states = [used > limit * mostUsedShare ? warn('memory', `${says}.`, remedy) : ok('memory', says)];
  if (most <= limit) return states;
  return [
    ...states,
    warn('memory', `The settings let the service take ${shownBytes(most)}; the container has ${shownBytes(limit)}.`, remedy),
  ];
}

/** Whether the clock of the service went ahead. */
function clock(page: string): readonly Finding[] {
  const jumps = figureIn(page, String.raw`gatelog_events_total(?=\{[^}\n]*kind="removals_put_off")`) ?? 0;
  if (jumps === 0) return [];
  const remedy = 'Set the clock of its machine right, by NTP: an hour after a jump it is believed, and retention removes records by it.';
  return [warn('clock', 'The clock of the service went ahead since it started.', remedy)];
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
