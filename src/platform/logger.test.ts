import { expect, test } from 'vitest';
import type { Observation } from '../model/observation.ts';
import { makeLogger } from './logger.ts';

const prepared: Observation = { kind: 'database_prepared', database: 'store', isNew: false, steps: ['0001-a', '0002-b'] };
const failed: Observation = { kind: 'batch_failed', reason: 'no \u{1b}[2J room\nat all', retryInMs: 100 };
const detail: Observation = { kind: 'batch_stored', requests: 1, bytes: 2, ms: 3 };

function linesOf(level: string, isTTY: boolean): readonly string[] {
  const lines: string[] = [];
  const observe = makeLogger(level, 'core', { isTTY, write: (line) => lines.push(line) });
  for (const observation of [prepared, failed, detail]) observe(observation);
  return lines;
}

test('a program reads JSON lines', () => {
  const read = linesOf('info', false).map((line) => JSON.parse(line) as unknown);
  expect(read).toMatchObject([
    { level: 30, process: `core:${process.pid}`, time: expect.stringMatching(/Z$/) as string, ...prepared },
    { level: 40, process: `core:${process.pid}`, ...failed },
  ]);
});

test('a person at a terminal reads one line each, which cannot move the cursor', () => {
  const time = String.raw`^\d\d:\d\d:\d\d core: `;
  expect(linesOf('debug', true)).toEqual([
    expect.stringMatching(new RegExp(`${time}prepared the store: 2 steps\\n$`)),
    expect.stringMatching(new RegExp(`${time}warning: batch failed: reason no \u{fffd}\\[2J room\u{fffd}at all, retryInMs 100\\n$`)),
    expect.stringMatching(new RegExp(`${time}batch stored: requests 1, bytes 2, ms 3\\n$`)),
  ]);
});

test('that a new database was made is a detail; steps of a known one are told', () => {
  const told: string[] = [];
  for (const isTTY of [true, false]) {
    const observe = makeLogger('info', 'core', { isTTY, write: (line) => told.push(line) });
    observe({ ...prepared, isNew: true });
    observe(prepared);
  }
  expect(told).toEqual([expect.stringContaining(' prepared the store: 2 steps'), expect.stringContaining('"database_prepared"')]);
});

test('the level holds for both', () => {
  for (const isTTY of [true, false]) expect(linesOf('warn', isTTY)).toHaveLength(1);
});

test('a call is a line that a person can read', () => {
  const lines: string[] = [];
  const observe = makeLogger('info', 'gateway', { isTTY: true, write: (line) => lines.push(line) });
  const call = { kind: 'call', method: 'POST', path: '/v1/chat/completions', ms: 12 } as const;
  observe({ ...call, provider: 'openai', model: 'gpt-4o', status: 200, code: undefined });
  observe({ ...call, provider: undefined, model: undefined, status: 401, code: 'invalid_key' });
  observe({ ...call, provider: 'openai', model: undefined, status: 0, code: undefined });
  observe({ kind: 'more_calls', calls: 7, failed: 2 });
  expect(lines.map((line) => line.slice('00:00:00 '.length))).toEqual([
    'gateway: POST /v1/chat/completions → openai gpt-4o 200 12 ms\n',
    'gateway: POST /v1/chat/completions 401 invalid_key 12 ms\n',
    'gateway: POST /v1/chat/completions → openai no response 12 ms\n',
    'gateway: and 7 more calls in this second, 2 of them failed\n',
  ]);
});
