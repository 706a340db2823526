import { describe, expect, test } from 'vitest';
import type { RequestItem } from '../../client/client.ts';
import { cellsOf } from '../terminal/cells.ts';
import { painter } from '../base/paint.ts';
import { requestLine, wallClock } from './request-line.ts';

const plain = {
  request_created_at: '2026-01-05T23:04:05.678Z',
  response_status: 200,
  model: 'gpt-4o',
  latency: 812.4,
  cost: 0.001_234,
  request_user_id: '',
  session_id: null,
  session_path: null,
  properties: {},
  cached: false,
};
type Shown = Partial<Record<keyof RequestItem, unknown>>;
const item = (given: Shown): RequestItem => ({ ...plain, ...given }) as unknown as RequestItem;

const requests: readonly Shown[] = [
  {},
  {
    request_user_id: 'user-42',
    session_id: 'checkout-7',
    session_path: '/plan/search',
    properties: { Team: 'search', 'Svc-Session-Id': 'checkout-7', Environment: 'production' },
  },
  { response_status: 429, model: 'claude-sonnet-4-5-20250929-with-a-very-long-name', latency: 12_345, cost: null },
  { response_status: 0, latency: null, cost: null, session_id: 's', session_path: '/' },
  { latency: 754_000, cost: 1234.5, cached: true, model: '端口模型'.repeat(8), properties: { Note: '端口 😀'.repeat(20) } },
  { cost: 0.000_000_12, latency: 125_000, properties: { 'a\u001b[2J': 'b\nc\u202e' } },
];

const lines = (columns: number | undefined, timezone = 'UTC'): readonly string[] =>
  requests.map((given) => requestLine(item(given), { columns, clock: wallClock(timezone), paint: painter(false) }));

describe('a request in one line', () => {
  test.each([80, 120])('fits %i columns', async (columns) => {
    const found = lines(columns);
    expect(found.filter((line) => cellsOf(line) > columns)).toEqual([]);
    await expect(`${found.join('\n')}\n`).toMatchFileSnapshot(`testing/golden/lines-${columns}.txt`);
  });

  test('is whole where a program reads', () => {
    expect(lines(undefined)[1]).toBe(
      '23:04:05  200  gpt-4o                         812 ms    $0.00123  @user-42 #checkout-7/plan/search Team=search Environment=production',
    );
  });

  test('has the time of a place', () => {
    expect(lines(80, 'Europe/Berlin')[0]?.slice(0, 8)).toBe('00:04:05');
    expect(wallClock('Europe/Berlin').dayOf(plain.request_created_at)).toBe('2026-01-06');
  });

  test('keeps its width with colours', () => {
    const [line = ''] = lines(80);
    const coloured = requestLine(item({ response_status: 500 }), { columns: 80, clock: wallClock('UTC'), paint: painter(true) });
    expect(coloured).toContain('\u001b[31m500\u001b[0m');
    expect(cellsOf(coloured)).toBe(line.length);
  });
});
