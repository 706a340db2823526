import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiRig, keyOf, openApiRig } from '../../api/testing/api-harness.ts';
import { serveApi } from '../../api/listen.ts';
import { newId } from '../../ingest/testing/ingest-harness.ts';
import { moneyOfUsd } from '../../model/pricing/money.ts';
import { closeServer, listening } from '../../platform/http/server.ts';
import { runCommand } from '../command.ts';
import { systemDependencies } from '../base/dependencies.ts';
import { cellText } from './cells.ts';
import { timeOf } from '../base/time-window.ts';

let rig: ApiRig;
let api: ReturnType<typeof serveApi>;
let address: string;
const now = Date.UTC(2030, 3, 5, 12);
const hour = 3_600_000;

beforeAll(async () => {
  rig = await openApiRig();
  api = serveApi(rig.api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 300_000 });
  address = await listening(api);
  await rig.insert(
    Array.from({ length: 40 }, (_, index) => ({
      requestId: newId(),
      createdAt: now - index * 6 * hour,
      model: index % 4 === 0 ? 'dear' : 'cheap',
      userId: `user-${index % 3}`,
      sessionId: `session-${index % 10}`,
      properties: new Map([['Team', index % 2 === 0 ? 'search' : 'shop']]),
      status: index % 10 === 9 ? 500 : 200,
      latencyMs: 1000 + index,
      cost: moneyOfUsd(index % 4 === 0 ? 1.5 : 0.001) ?? null,
    })),
  );
});
afterAll(async () => {
  await closeServer(api, 100);
  await rig.close();
});

async function gatelog(...words: string[]): Promise<{ readonly code: number; readonly lines: readonly string[]; readonly hinted: string }> {
  const [printed, hinted]: [string[], string[]] = [[], []];
  const code = await runCommand(words, {
    ...systemDependencies({ GATELOG_API_URL: address, GATELOG_API_KEY: keyOf('r') }),
    now: () => now,
    columns: 120,
    print: (text) => printed.push(text),
    hint: (text) => hinted.push(text),
  });
  return { code, lines: printed.join('\n').split('\n'), hinted: hinted.join('\n') };
}

describe('gatelog metrics', () => {
  test('without options is the cost and number of all requests', async () => {
    const { code, lines } = await gatelog('metrics', '--property', 'Team=search', '--start-date', 'today');
    expect([code, ...lines]).toEqual([0, 'COST   COUNT', '$1.50  2']);
  });

  test('JSON escapes what would move the cursor of a terminal, and stays the same JSON', async () => {
    const name = 'C1 \u009b2J and \u202e';
    await rig.insert([{ requestId: newId(), createdAt: Date.UTC(2020, 0, 5), model: name }]);
    const { lines } = await gatelog('metrics', '--by', 'model', '--start-date', '2020-01-01', '--end-date', '2020-02-01', '--json');
    const text = lines.join('\n');
    expect([text.includes('\u009b'), (JSON.parse(text) as readonly { readonly model: string }[])[0]?.model]).toEqual([false, name]);
    expect(text).toContain(String.raw`C1 \u009b2J and \u202e`);
  });

  test('groups by dimensions; other and total follow the rows', async () => {
    const { lines } = await gatelog(
      'metrics',
      '--metric',
      'cost,count,error_rate,p95_latency',
      '--by',
      'model',
      '--limit',
      '1',
      '--start-date',
      '30d',
    );
    expect(lines).toEqual([
      'MODEL  COST    COUNT  ERROR RATE  P95 LATENCY',
      'dear   $15.00  10     0.0 %       1,034 ms',
      'other  $0.03   30     13.3 %      1,038 ms',
      'total  $15.03  40     10.0 %      1,037 ms',
    ]);
  });

  test('a cost of nothing but unpriced requests is no $0, and requests of no session are none of the most expensive sessions', async () => {
    const old = now - 400 * 24 * hour;
    await rig.insert([
      { requestId: newId(), createdAt: old, model: 'own', sessionId: '', properties: new Map(), cost: null, status: 200 },
      {
        requestId: newId(),
        createdAt: old,
        model: 'gift',
        sessionId: 's-1',
        properties: new Map([['Team', 'shop']]),
        cost: moneyOfUsd(0) ?? null,
      },
    ]);
    const span = ['--start-date', '401d', '--end-date', '399d'];
    const { lines } = await gatelog('metrics', '--metric', 'cost,count', '--by', 'model,properties.Team', ...span, '--sort', 'count');
    expect(lines.toSorted((one, other) => one.localeCompare(other, 'en')).map((line) => line.split(/ {2,}/))).toEqual([
      ['gift', 'shop', '$0', '1'],
      ['MODEL', 'Team', 'COST', 'COUNT'],
      ['own', '(no Team)', 'not priced', '1'],
      ['total', 'not priced', '2'],
    ]);
    const sessions = await gatelog('report', 'sessions', ...span);
    expect(sessions.lines.slice(1).map((line) => line.split(/ {2,}/)[0])).toEqual(['SESSION', 's-1', 'total']);
    const users = await gatelog('metrics', '--by', 'session_name', ...span);
    expect(users.lines[1]).toMatch(/^\(no session name\) /);
  });

  test('draws a series as bars, and one of groups as lines', async () => {
    const days = await gatelog(
      'metrics',
      '--metric',
      'count',
      '--interval',
      'day',
      '--start-date',
      '2030-04-03',
      '--end-date',
      '2030-04-05',
    );
    expect(days.lines).toEqual([
      'TIME                      COUNT',
      '2030-04-03T00:00:00.000Z  4      ██████████████████████████████',
      '2030-04-04T00:00:00.000Z  4      ██████████████████████████████',
      'total                     8',
    ]);
    const teams = await gatelog('metrics', '--metric', 'cost', '--by', 'properties.Team', '--interval', 'day', '--start-date', '3d');
    expect(teams.lines).toEqual(['Team    COST    COST BY DAY', 'search  $6.00   ████', 'shop    $0.006  ▁▁▁▁', 'total   $6.01']);
  });

  test('shows a series as a whole', async () => {
    const { lines } = await gatelog('metrics', '--metric', 'count', '--interval', 'hour', '--start-date', '30d');
    expect(lines.length).toBe(1 + 40 + 1);
    const cut = await gatelog('metrics', '--metric', 'count', '--interval', 'hour', '--start-date', '30d', '--limit', '3');
    expect(cut.lines.map((line) => line.split(/ +/)[0])).toEqual([
      'TIME',
      ...cut.lines.slice(1, 4).map((line) => line.slice(0, 24)),
      'other',
      'total',
    ]);
  });

  test('says why there is nothing to show', async () => {
    const { code, hinted } = await gatelog('metrics', '--property', 'team=search');
    expect([code, hinted]).toEqual([0, expect.stringContaining('there is one named "Team"')]);
  });

  test('lists what there is to ask for', async () => {
    const { lines } = await gatelog('metrics', '--list');
    expect(lines.find((line) => line.startsWith('cost '))).toContain('usd');
    expect(lines.find((line) => line.startsWith('properties.NAME'))).toContain('text');
    expect(JSON.parse((await gatelog('metrics', '--list', '--json')).lines.join('\n'))).toHaveProperty('intervals');
  });

  test('shows an amount below all decimals, not nothing', () => {
    expect(['0', '0.000001', '0.00000004', '0.0015', '12.5', '1234.567'].map((usd) => cellText('cost', Number(usd)))).toEqual([
      '$0',
      '$0.000001',
      '$0.00000004',
      '$0.0015',
      '$12.50',
      '$1,234.57',
    ]);
  });

  test('shows four digits of an average of scores, however small, and all of a large one', () => {
    expect([0.000_412_34, 7.25, 123_456, null].map((score) => cellText('avg_score.quality', score))).toEqual([
      '0.0004123',
      '7.25',
      '123,456',
      '-',
    ]);
  });

  test('writes rows for programs', async () => {
    const { lines } = await gatelog('metrics', '--by', 'user', '--json', '--start-date', 'today');
    expect(JSON.parse(lines.join('\n'))).toContainEqual(expect.objectContaining({ total: true, count: 3 }));
  });

  test.each([
    [['--start-date', 'soon'], '--start-date takes today'],
    [['--timezone', 'Mars'], '--timezone takes a name'],
    [['--property', 'Team'], 'NAME=VALUE'],
    [['--filter', 'x'], 'neither "all" nor JSON'],
    [['--sort', 'cost:down'], 'cost:asc'],
    [['--limit', 'many'], 'whole number'],
    [['--metric', 'costs'], 'Did you mean `cost`?'],
  ])('refuses %j with the remedy', async (words, remedy) => {
    const { code, hinted } = await gatelog('metrics', ...words);
    expect([code, hinted]).toEqual([2, expect.stringContaining(remedy)]);
  });
});

describe('gatelog report', () => {
  test('prints every report, each with its title and span', async () => {
    const { code, lines } = await gatelog('report', '--start-date', '30d');
    expect(code).toBe(0);
    const titles = lines.filter((line) => line.includes(', since '));
    expect(titles).toEqual(
      ['Cost by model', 'Most expensive sessions', 'Cost by user', 'What failed', 'Cost by model over time'].map(
        (title) => `${title}, since 2030-03-06T12:00:00.000Z`,
      ),
    );
  });

  test('writes all reports as one JSON object, and a reason that holds for all of them once', async () => {
    const { lines } = await gatelog('report', '--start-date', '30d', '--json');
    const all = JSON.parse(lines.join('\n')) as Readonly<Record<string, readonly unknown[]>>;
    expect(Object.keys(all)).toEqual(['cost', 'sessions', 'users', 'errors', 'trend']);
    expect(all['cost']?.[0]).toMatchObject({ model: 'dear', cost: 15 });
    const { hinted } = await gatelog('report', '--start-date', '2020-01-01', '--end-date', '2020-01-02');
    expect(hinted.split('the record goes from')).toHaveLength(2);
  });

  test('of failures keeps them to a filter of the caller', async () => {
    const { lines } = await gatelog('report', 'errors', '--start-date', '30d', '--property', 'Team=shop', '--json');
    expect(JSON.parse(lines.join('\n'))).toEqual([
      expect.objectContaining({ status: 500, count: 4 }),
      expect.objectContaining({ other: true, count: 0 }),
      expect.objectContaining({ total: true, count: 4 }),
    ]);
  });
});

test.each([
  ['today', 'UTC', '2030-04-05T00:00:00.000Z'],
  ['today', 'Europe/Berlin', '2030-04-04T22:00:00.000Z'],
  ['yesterday', 'Pacific/Auckland', '2030-04-04T11:00:00.000Z'],
  ['24h', 'UTC', '2030-04-04T12:00:00.000Z'],
  ['2w', 'UTC', '2030-03-22T12:00:00.000Z'],
  ['2030-03-01', 'America/New_York', '2030-03-01T05:00:00.000Z'],
  ['2030-03-01T10:00:00+02:00', 'UTC', '2030-03-01T08:00:00.000Z'],
  ['2030-03-01 10:00', 'UTC', '2030-03-01T10:00:00.000Z'],
  ['2030-03-01 10:00', 'Europe/Berlin', '2030-03-01T09:00:00.000Z'],
  ['2030-03-01T10:00:30Z', 'Europe/Berlin', '2030-03-01T10:00:30.000Z'],
  // The clocks change in the course of the day, or at its midnight.
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
  ['2026-04-05', 'Pacific/Auckland', '2026-04-04T11:00:00.000Z'],
  ['2026-09-27', 'Pacific/Auckland', '2026-09-26T12:00:00.000Z'],
  ['2026-10-04', 'Australia/Lord_Howe', '2026-10-03T13:30:00.000Z'],
  ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
  ['2026-03-08', 'America/St_Johns', '2026-03-08T03:30:00.000Z'],
  ['2026-10-25 02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
])('%s in %s is %s', (text, timezone, expected) => {
  expect(new Date(timeOf(text, { option: '--start-date', now, timezone })).toISOString()).toBe(expected);
});

test.each(['2026-02-30', '2026-13-01', '25:00', '2026-01-01T24:30'])('%s is no time', (text) => {
  expect(() => timeOf(text, { option: '--start-date', now, timezone: 'UTC' })).toThrow('--start-date takes today');
});
