import { expect, test } from 'vitest';
import { GatewayMeter } from '../gateway/observation/metrics.ts';
import { Meter } from '../platform/metrics/meter.ts';
import { HealthHistory, historyPoints } from './history.ts';
import { familiesOf } from './metric-families.ts';

const now = Date.UTC(2026, 0, 31, 12);

/** A worker with the counts of its calls. */
function worker(): { readonly numbers: () => Parameters<HealthHistory['add']>[0]; readonly meter: GatewayMeter } {
  const meter = new Meter(familiesOf.gateway);
  return { numbers: () => [{ process: 'gateway-0', families: meter.families, cells: meter.cells }], meter: new GatewayMeter(meter) };
}

test('a point is what happened since the one before; the first knows no rate', () => {
  const { numbers, meter } = worker();
  const history = new HealthHistory();
  meter.ended('complete', 200, 900);
  history.add(numbers(), now, 0);
  for (let call = 0; call < 20; call += 1) meter.ended('complete', 200, 2);
  history.add(numbers(), now + 10_000, 10_000);
  history.add(numbers(), now + 20_000, 20_000);
  const shown = history.shown();
  expect(shown.at).toEqual(['2026-01-31T12:00:00.000Z', '2026-01-31T12:00:10.000Z', '2026-01-31T12:00:20.000Z']);
  expect(shown.requests_per_second).toEqual([null, 2, 0]);
  // The slow call came before the first point; the others lie between 1 and 2.5 ms.
  expect(shown.gateway_latency_p95_ms[1]).toBeGreaterThan(1);
  expect(shown.gateway_latency_p95_ms[1]).toBeLessThanOrEqual(2.5);
  expect(shown.gateway_latency_p95_ms[2]).toBeNull();
});

test('the history keeps an hour, and no more', () => {
  const { numbers } = worker();
  const history = new HealthHistory();
  for (let point = 0; point <= historyPoints; point += 1) history.add(numbers(), now + point, point);
  expect(history.shown().at).toHaveLength(historyPoints);
  expect(history.shown().at[0]).toBe('2026-01-31T12:00:00.001Z');
});
