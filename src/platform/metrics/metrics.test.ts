import { describe, expect, it } from 'vitest';
import type { Observation } from '../../model/observation.ts';
import { exposition } from './exposition.ts';
import { type MetricFamily, Meter } from './meter.ts';
import { eventFamilies, ingestEventFamilies, measured, supervisionFamilies } from './observed.ts';
import { packCells, SlotTotals, unpackCells } from './slot-totals.ts';

const calls: MetricFamily = {
  name: 'gatelog_calls_total',
  kind: 'counter',
  help: 'Calls.',
  labels: { outcome: ['whole', 'cut'], status: ['2xx', '5xx'] },
};
const waiting: MetricFamily = { name: 'gatelog_waiting', kind: 'gauge', help: 'Waiting.' };
const seconds: MetricFamily = { name: 'gatelog_seconds', kind: 'histogram', help: 'Time.', bounds: [0.1, 1] };
const families = [calls, waiting, seconds];

const pageOf = (cells: Float64Array, process = 'core'): string => exposition([{ process, families, cells }]);

const countedBy = (count: number, gauge: number): Float64Array => {
  const meter = new Meter(families);
  meter.add(calls, ['whole', '2xx'], count);
  meter.set(waiting, [], gauge);
  return unpackCells(packCells(meter.cells));
};
const shown = (totals: SlotTotals): (string | undefined)[] =>
  [/outcome="whole",status="2xx",process="core"} (\S+)/, /gatelog_waiting{process="core"} (\S+)/].map(
    (pattern) => pattern.exec(pageOf(totals.total()))?.[1],
  );

describe('a page for Prometheus', () => {
  it('counters stand there from the start, gauges once they are set, histograms once they have a value', () => {
    const meter = new Meter(families);
    const zeros = ['whole", status="2xx', 'whole", status="5xx', 'cut", status="2xx', 'cut", status="5xx'].map(
      (labels) => `gatelog_calls_total{outcome="${labels.replace(' ', '')}",process="core"} 0\n`,
    );
    expect(pageOf(meter.cells)).toBe(`# HELP gatelog_calls_total Calls.\n# TYPE gatelog_calls_total counter\n${zeros.join('')}`);
    meter.set(waiting, [], 3);
    expect(pageOf(meter.cells)).toContain('# TYPE gatelog_waiting gauge\ngatelog_waiting{process="core"} 3\n');
  });

  it('the buckets of a histogram count what is not above their bound', () => {
    const meter = new Meter(families);
    for (const value of [0.05, 0.1, 0.5, 7]) meter.record(seconds, [], value);
    expect(pageOf(meter.cells).split('# TYPE gatelog_seconds histogram\n')[1]).toBe(
      [
        'gatelog_seconds_bucket{process="core",le="0.1"} 2',
        'gatelog_seconds_bucket{process="core",le="1"} 3',
        'gatelog_seconds_bucket{process="core",le="+Inf"} 4',
        'gatelog_seconds_sum{process="core"} 7.65',
        'gatelog_seconds_count{process="core"} 4',
        '',
      ].join('\n'),
    );
  });

  it('a family of several processes stands there once', () => {
    const [first, second] = [new Meter(families), new Meter(families)];
    first.add(calls, ['cut', '5xx']);
    second.add(calls, ['cut', '5xx'], 2);
    const page = exposition([
      { process: 'gateway-0', families, cells: first.cells },
      { process: 'gateway-1', families, cells: second.cells },
    ]);
    expect(page.match(/# TYPE gatelog_calls_total/g)).toHaveLength(1);
    expect(page).toContain('{outcome="cut",status="5xx",process="gateway-0"} 1\n');
    expect(page).toContain('{outcome="cut",status="5xx",process="gateway-1"} 2\n');
  });

  it('a label takes no value but those of its list', () => {
    expect(() => new Meter(families).add(calls, ['whole', '/a/path/of/a/caller'])).toThrow(/no label value/);
  });
});

const bytesOf = (cells: Float64Array): Buffer => Buffer.from(cells.buffer);

describe('the numbers of a slot', () => {
  it('counters never go backwards over deaths; a gauge is of the process that lives', () => {
    const totals = new SlotTotals(families);
    expect(shown(totals)).toEqual(['0', undefined]);
    totals.report(countedBy(5, 7));
    expect(shown(totals)).toEqual(['5', '7']);
    totals.ended();
    expect(shown(totals)).toEqual(['5', undefined]);
    totals.report(countedBy(1, 2));
    totals.report(countedBy(3, 4));
    expect(shown(totals)).toEqual(['8', '4']);
    totals.ended();
    totals.ended();
    expect(shown(totals)).toEqual(['8', undefined]);
  });

  it('cross to another process exactly, and in a message that is as long as what was counted', () => {
    const cells = new Float64Array(3000);
    expect(bytesOf(unpackCells(packCells(cells))).equals(bytesOf(cells))).toBe(true);
    const few = packCells(cells).length;
    cells.set([Number.NaN, 0.1 + 0.2, -1, Number.MAX_SAFE_INTEGER, Infinity], 2990);
    expect(bytesOf(unpackCells(packCells(cells))).equals(bytesOf(cells))).toBe(true);
    expect(packCells(cells).length).toBeLessThan(few + 200);
  });

  it('numbers of another length are not taken', () => {
    const totals = new SlotTotals(families);
    totals.report(new Float64Array(3));
    expect(shown(totals)).toEqual(['0', undefined]);
  });
});

it('observations are counted by kind, measured, and passed on', () => {
  const all = [...eventFamilies, ...ingestEventFamilies, ...supervisionFamilies];
  const meter = new Meter(all);
  const passed: Observation[] = [];
  const observe = measured(meter, (observation) => passed.push(observation));
  observe({ kind: 'batch_stored', requests: 40, bytes: 9000, ms: 120 });
  observe({ kind: 'batch_stored', requests: 2, bytes: 1000, ms: 3 });
  observe({ kind: 'exchange_dead_lettered', requestId: 'r', cause: 'too_large', reason: 'x' });
  observe({ kind: 'process_exited', role: 'core', pid: 1, code: null, signal: 'SIGKILL' });
  expect(passed.map(({ kind }) => kind)).toEqual(['batch_stored', 'batch_stored', 'exchange_dead_lettered', 'process_exited']);
  const page = exposition([{ process: 'core', families: all, cells: meter.cells }]);
  for (const line of [
    'gatelog_events_total{kind="batch_stored",process="core"} 2',
    'gatelog_records_stored_total{process="core"} 42',
    'gatelog_record_spool_bytes_total{process="core"} 10000',
    'gatelog_batch_records_bucket{process="core",le="5"} 1',
    'gatelog_batch_duration_seconds_count{process="core"} 2',
    'gatelog_dead_letters_total{cause="too_large",process="core"} 1',
    'gatelog_process_exits_total{role="core",process="core"} 1',
  ]) {
    expect(page).toContain(`${line}\n`);
  }
});

it('whatever the core observes beside the count of its kind is measured there', () => {
  const core = [...eventFamilies, ...ingestEventFamilies];
  const meter = new Meter(core);
  const observe = measured(meter, () => undefined);
  observe({ kind: 'usage_not_completed', reads: 3, reason: 'x' });
  observe({ kind: 'span_texts_dropped', reason: 'x' });
  observe({ kind: 'webhook_updates_dropped', updates: 2 });
  observe({ kind: 'dead_letters_removed', expired: 1, crowdedOut: 4 });
  const page = exposition([{ process: 'core', families: core, cells: meter.cells }]);
  for (const line of ['gatelog_usage_not_completed_total{process="core"} 3', 'gatelog_webhook_updates_dropped_total{process="core"} 2']) {
    expect(page).toContain(`${line}\n`);
  }
});
