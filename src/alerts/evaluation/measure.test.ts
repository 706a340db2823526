import { expect, test } from 'vitest';
import type { AlertRule } from '../../contract/events/alerts.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { planAlert } from '../../query/alerts/plan.ts';
import { rangesAt } from '../../query/alerts/windows.ts';
import type { RunStatement } from '../../store/read/run-statement.ts';
import { type Measurement, measureEach, type Turn } from './measure.ts';

const tenant = '01970000-0000-7000-8000-000000000001' as OrganizationId;

function readingOf(rule: Partial<AlertRule>) {
  const planned = planAlert(tenant, { metric: 'cost', threshold: 1, time_window: 60_000, ...rule });
  if (!planned.ok) throw new Error(planned.fault.message);
  return { plan: planned.value, ranges: rangesAt(planned.value, 1_800_000_000_000) };
}

const words = readingOf({ filter: { request: { prompt: { contains: 'refund' } } } });
const readings = [words, readingOf({}), readingOf({ filter: { request_response_rmt: { model: { equals: 'gpt-4o' } } } })];

async function measureAll(run: RunStatement, asked: typeof readings, turn: Turn): Promise<readonly Measurement[]> {
  const measured: Measurement[] = [];
  await measureEach(run, asked, turn, async (index, measurement) => {
    measured[index] = measurement;
  });
  return measured;
}

/** A clock that each statement moves. */
function slowStore(statementMs: number) {
  const state = { now: 0, statements: 0 };
  const run: RunStatement = () => {
    state.now += statementMs;
    state.statements += 1;
    return Promise.resolve([]);
  };
  const turn = { signal: new AbortController().signal, maxMs: 10_000, monotonic: () => state.now };
  return { state, run, turn };
}

test('rules that search texts are measured last; what is not reached in the turn says so', async () => {
  const { state, run, turn } = slowStore(11_000);
  const measured = await measureAll(run, readings, turn);
  expect(state.statements).toBe(1);
  expect(measured.map((each) => ('error' in each ? String(each.error) : 'measured'))).toEqual([
    expect.stringContaining('took more than 10 s to evaluate, and this one was not reached'),
    'measured',
    'measured',
  ]);
});

test('a statement that fails for what it asks is asked reading by reading, within the turn', async () => {
  const { run, state, turn } = slowStore(6000);
  const failing: RunStatement = async (statement, signal) => {
    await run(statement, signal);
    throw new Error('too large');
  };
  const measured = await measureAll(failing, readings.slice(1), turn);
  expect(state.statements).toBe(2);
  expect(measured.map((each) => ('error' in each ? String(each.error) : 'measured'))).toEqual([
    'Error: too large',
    expect.stringContaining('was not reached'),
  ]);
});

const hanging: RunStatement = (_, signal) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });

test('a turn ends while a statement runs', async () => {
  const { turn } = slowStore(0);
  const measured = await measureAll(hanging, readings, { ...turn, maxMs: 50 });
  expect(measured.every((each) => 'error' in each && String(each.error).includes('took more than 0.05 s'))).toBe(true);
});
