import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportedFields } from '../../export/columns.ts';
import { keyOf, queryPath } from '../testing/api-harness.ts';
import { type ExportRig, type Item, linesOf, nasty, openExportRig, time } from './testing/export-harness.ts';

let rig: ExportRig;
beforeAll(async () => {
  rig = await openExportRig();
});
afterAll(async () => rig.close());

describe('POST /v1/export', () => {
  test('streams the items of a query in the order of arrival and identifier, one JSON object a line', async () => {
    const { filter } = await rig.recorded([nasty, { createdAt: time - 1 }, { createdAt: time }, { createdAt: time }]);
    const response = await rig.exported({ filter, includeBodies: true });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="gatelog-export.jsonl"');
    const found = linesOf(await response.text());
    const page = await rig.call('POST', queryPath, { body: { filter, includeInputs: true, sort: { created_at: 'asc' } } });
    const { data } = (await page.json()) as { readonly data: readonly Item[] };
    const { signed_body_url: _address, organization_id: _owner, ...rest } = data[0] ?? {};
    expect(found).toHaveLength(4);
    expect(found[0]).toEqual(rest);
    expect(found.map((item) => item['request_id'])).toEqual(data.map((item) => item['request_id']));
    expect(Object.keys(found[0] ?? {})).toEqual(exportedFields);
  });

  test('keeps every digit of a body and puts it in one line', async () => {
    const { filter } = await rig.recorded([nasty]);
    const text = await (await rig.exported({ filter, includeBodies: true })).text();
    expect(text.split('\n')).toHaveLength(2);
    expect(text).toContain('"request_body":{"seed": 12345678901234567890,"text": "\\u00e9 \\n \u2028"},');
  });

  test('leaves bodies null unless they are asked for', async () => {
    const { filter } = await rig.recorded([nasty]);
    expect(await rig.items({ filter })).toMatchObject([{ request_body: null, response_body: null, inputs: { name: 'Ada' } }]);
    expect(await rig.items({ filter, columns: ['response_body'] })).toEqual([{ response_body: '-1, "quoted"\n' }]);
    expect(await rig.items({ filter, columns: ['response_body'], includeBodies: false })).toEqual([{ response_body: null }]);
  });

  test('the same store gives the same bytes', async () => {
    const { filter } = await rig.recorded(Array.from({ length: 700 }, (_, index) => ({ createdAt: time + (index % 7) })));
    const [first, second] = await Promise.all([rig.exported({ filter }), rig.exported({ filter })]);
    expect(await first.text()).toBe(await second.text());
  });

  test('shows nothing of another organisation', async () => {
    const ids = (await rig.items({})).map((item) => item['request_id']);
    expect(ids).toContain(rig.stored);
    expect(ids).not.toContain(rig.foreign);
    expect(await rig.items({ filter: { request_response_rmt: { request_id: { equals: rig.foreign } } } })).toEqual([]);
    expect((await rig.call('POST', '/v1/export', { key: keyOf('w'), body: {} })).status).toBe(403);
    expect((await rig.call('POST', '/v1/export', { key: null, body: {} })).status).toBe(401);
  });

  test('a window contains its start and not its end', async () => {
    const { filter } = await rig.recorded([time - 1, time, time + 1, time + 2].map((createdAt) => ({ createdAt })));
    const arrivals = async (window: Item): Promise<readonly number[]> =>
      (await rig.items({ filter, ...window })).map((item) => Date.parse(String(item['request_created_at'])) - time);
    const [start, end] = [new Date(time).toISOString(), new Date(time + 2).toISOString()];
    expect(await arrivals({ startDate: start, endDate: end })).toEqual([0, 1]);
    expect(await arrivals({ startDate: time, endDate: time + 2 })).toEqual([0, 1]);
    expect(await arrivals({ timeFilter: { startTimeUnixMs: time, endTimeUnixMs: time + 2 } })).toEqual([0, 1]);
    expect(await arrivals({ endDate: start })).toEqual([-1]);
    expect(await arrivals({ startDate: start })).toEqual([0, 1, 2]);
    const response = await rig.exported({ filter, startDate: start, endDate: end });
    expect([response.headers.get('svc-export-start'), response.headers.get('svc-export-end')]).toEqual([start, end]);
  });

  test('without an end it ends at its beginning, or behind a record of a later time', async () => {
    const before = Date.now();
    const end = Date.parse((await rig.exported({})).headers.get('svc-export-end') ?? '');
    expect(end).toBeGreaterThanOrEqual(before);
    expect(end).toBeLessThanOrEqual(Date.now() + 1);
    const later = Date.now() + 3_600_000;
    const { filter } = await rig.recorded([{ createdAt: later }]);
    const response = await rig.exported({ filter });
    expect(response.headers.get('svc-export-end')).toBe(new Date(later + 1).toISOString());
    expect(linesOf(await response.text())).toHaveLength(1);
  });

  test('goes on behind any record, also among records of one time', async () => {
    const { filter } = await rig.recorded(Array.from({ length: 30 }, (_, index) => ({ createdAt: time + Math.floor(index / 10) })));
    const all = await rig.items({ filter, columns: ['cursor', 'request_created_at', 'request_id'] });
    for (const [index, item] of all.entries()) {
      expect(item['cursor']).toBe(`${String(item['request_created_at'])},${String(item['request_id'])}`);
      const rest = await rig.items({ filter, columns: ['cursor', 'request_created_at', 'request_id'], cursor: item['cursor'] });
      expect(rest).toEqual(all.slice(index + 1));
    }
    const late = await rig.items({ filter, cursor: all[5]?.['cursor'], startDate: time + 2, columns: ['request_id'] });
    expect(late).toHaveLength(10);
  });

  test('exports columns by choice', async () => {
    const { filter } = await rig.recorded([nasty, { createdAt: time + 1 }]);
    const columns = ['properties.Team', 'cost', 'scores.accuracy', 'inputs.name', 'properties.__proto__', 'organization_id'];
    expect(await rig.items({ filter, columns })).toEqual([
      {
        'properties.Team': '@sum(A1)',
        cost: 1e-12,
        'scores.accuracy': 0.5,
        'inputs.name': 'Ada',
        'properties.__proto__': 'p',
        organization_id: rig.organizationId,
      },
      {
        'properties.Team': null,
        cost: null,
        'scores.accuracy': null,
        'inputs.name': null,
        'properties.__proto__': null,
        organization_id: rig.organizationId,
      },
    ]);
  });

  test('takes a property of a session or a prompt by either of its names', async () => {
    const properties = new Map([
      ['Svc-Session-Id', 'dive'],
      ['Svc-Prompt-Id', 'p'],
    ]);
    const { filter } = await rig.recorded([
      { properties, aliasedNames: true },
      { properties, createdAt: time + 1 },
    ]);
    const columns = ['properties.Svc-Session-Id', 'properties.Helicone-Session-Id', 'properties.Helicone-Prompt-Id'];
    const found = { 'properties.Svc-Session-Id': 'dive', 'properties.Helicone-Session-Id': 'dive', 'properties.Helicone-Prompt-Id': 'p' };
    expect(await rig.items({ filter, columns })).toEqual([found, found]);
  });

  test('says how many there are when it is asked', async () => {
    const { filter } = await rig.recorded([{}, {}, {}]);
    const response = await rig.exported({ filter }, { 'svc-include-count': 'true' });
    expect(response.headers.get('svc-total-count')).toBe('3');
  });

  test.each([
    [{ filter: { properties: { Team: { equals: 'a' } } } }, 'filter', 'request_response_rmt'],
    [{ startDate: 'yesterday' }, 'startDate', 'ISO 8601'],
    [{ startDate: '2026-01-01', timeFilter: { endTimeUnixMs: 5 } }, 'timeFilter', 'twice'],
    [{ format: 'xlsx' }, 'format', 'parquet'],
    [{ compression: 'br' }, 'compression', 'zstd'],
    [{ columns: [] }, 'columns', '1 to'],
    [{ columns: ['cost', 'latencey'] }, 'columns[1]', '`latency`'],
    [{ columns: ['cost', 'cost'] }, 'columns[1]', 'twice'],
    [{ columns: ['signed_body_url'] }, 'columns[0]', 'no column'],
    [{ columns: ['properties.'] }, 'columns[0]', 'no column'],
    [{ cursor: 'abc' }, 'cursor', 'request_created_at'],
  ])('refuses %j', async (body, path, sentence) => {
    const response = await rig.call('POST', '/v1/export', { body });
    expect(response.status).toBe(422);
    const answer = (await response.json()) as { readonly error: string; readonly details: { readonly path: string } };
    expect(answer.details.path).toContain(path);
    expect(answer.error).toContain(sentence);
  });
});

describe('GET /v1/export', () => {
  test('takes the fields as parameters', async () => {
    const { filter } = await rig.recorded([nasty]);
    const query = new URLSearchParams({ filter: JSON.stringify(filter), format: 'csv', columns: 'model, cost', startDate: '2026-04-05' });
    const response = await rig.call('GET', `/v1/export?${query.toString()}`);
    expect(await response.text()).toBe('model,cost\r\n"a,b ""c""\r\nd",1e-12\r\n');
  });

  test('takes times in Unix milliseconds, and columns with a comma in their names', async () => {
    const properties = new Map([['a, b', 'c']]);
    const { filter } = await rig.recorded([{ createdAt: time, properties }, { createdAt: time + 1 }]);
    const window = { startDate: String(time), endDate: String(time + 1) };
    const query = new URLSearchParams({ filter: JSON.stringify(filter), columns: '["properties.a, b", "status"]', ...window });
    expect(await (await rig.call('GET', `/v1/export?${query.toString()}`)).text()).toContain('"status\\" is no column');
    query.set('columns', '["properties.a, b"]');
    expect(await (await rig.call('GET', `/v1/export?${query.toString()}`)).text()).toBe('{"properties.a, b":"c"}\n');
  });

  test('refuses a filter that is no JSON, and warns of what it does not know', async () => {
    const response = await rig.call('GET', '/v1/export?filter=%7B');
    expect([response.status, await response.json()]).toMatchObject([422, { details: { path: 'filter' } }]);
    expect((await rig.call('GET', '/v1/export?limit=5&columns=cost')).headers.get('svc-warning')).toContain('limit');
  });

  test('answers HEAD without an export', async () => {
    for (let count = 0; count < 9; count += 1) expect((await rig.call('HEAD', '/v1/export')).status).toBe(200);
  });
});
