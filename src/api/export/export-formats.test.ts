import { gunzipSync } from 'node:zlib';
import { parse as parseCsv } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ExportRig, type Item, nasty, openExportRig, time } from './testing/export-harness.ts';

let rig: ExportRig;
beforeAll(async () => {
  rig = await openExportRig();
});
afterAll(async () => rig.close());

const csvOf = async (body: Item): Promise<string> => (await rig.exported({ format: 'csv', ...body })).text();
const cellsOf = (csv: string): unknown => parseCsv(csv, { record_delimiter: '\r\n' });

describe('csv', () => {
  test('is read back by another reader: quotes, line breaks and Unicode', async () => {
    const { filter } = await rig.recorded([nasty, { createdAt: time + 1 }]);
    const columns = ['request_created_at', 'model', 'cost', 'cached', 'properties', 'request_body', 'response_body', 'request_user_id'];
    const text = await csvOf({ filter, columns, raw: true });
    expect(text.split('\r\n')[0]).toBe(columns.join(','));
    expect(parseCsv(text, { columns: true, record_delimiter: '\r\n' })).toEqual([
      {
        request_created_at: '2026-04-05T12:00:00.000Z',
        model: 'a,b "c"\r\nd',
        cost: '1e-12',
        cached: 'true',
        properties: '{"Team":"@sum(A1)","Ünïcode 🙂":"zwei\\nZeilen","__proto__":"p"}',
        request_body: '{"seed": 12345678901234567890,"text": "\\u00e9 \\n \u2028"}',
        response_body: '-1, "quoted"\n',
        request_user_id: '=1+1',
      },
      {
        request_created_at: '2026-04-05T12:00:00.001Z',
        model: 'unknown',
        cost: '',
        cached: 'false',
        properties: '{}',
        request_body: '',
        response_body: '',
        request_user_id: '',
      },
    ]);
  });

  test.each(['=1+1', '+1', '-1', '@a', '\t1', '\r1', '\n1'])('has no cell that a spreadsheet would run: %j', async (text) => {
    const { filter } = await rig.recorded([{ properties: new Map([['=Team', text]]), latencyMs: 5 }]);
    const given = { filter, columns: ['properties.=Team', 'latency'] };
    expect(cellsOf(await csvOf(given))).toEqual([
      ['properties.=Team', 'latency'],
      [`'${text}`, '5'],
    ]);
    expect(cellsOf(await csvOf({ ...given, raw: true }))).toEqual([
      ['properties.=Team', 'latency'],
      [text, '5'],
    ]);
  });

  test('has each field once, and bodies when they are asked for', async () => {
    const { filter } = await rig.recorded([nasty]);
    const namesOf = async (body: Item): Promise<readonly string[]> => (await csvOf({ filter, ...body })).split('\r\n')[0]?.split(',') ?? [];
    const without = await namesOf({});
    expect(without).not.toContain('request_body');
    expect(without).not.toContain('costUSD');
    expect((await namesOf({ includeBodies: true })).filter((name) => !without.includes(name))).toEqual(['request_body', 'response_body']);
  });

  test('a record without any value is a record all the same', async () => {
    const { filter } = await rig.recorded([{}, {}]);
    expect(await csvOf({ filter, columns: ['cost'] })).toBe('cost\r\n""\r\n""\r\n');
  });

  test('begins with a byte order mark on demand, for Excel', async () => {
    const { filter } = await rig.recorded([]);
    expect(
      Buffer.from(await (await rig.exported({ filter, format: 'csv', columns: ['cost'], bom: true })).arrayBuffer()).toString('hex'),
    ).toBe(Buffer.from('\ufeffcost\r\n').toString('hex'));
  });

  test('is what Accept asks for', async () => {
    const response = await rig.call('POST', '/v1/export', { body: { columns: ['cost'] }, headers: { accept: 'text/csv' } });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect((await response.text()).slice(0, 6)).toBe('cost\r\n');
    const other = await rig.call('POST', '/v1/export', { body: {}, headers: { accept: 'application/vnd.apache.parquet' } });
    expect(Buffer.from(await other.arrayBuffer()).toString('latin1', 0, 4)).toBe('PAR1');
    const lines = await rig.call('POST', '/v1/export', { body: { format: 'jsonl' }, headers: { accept: 'text/csv' } });
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
  });
});

describe('parquet', () => {
  test.each([undefined, 'none', 'gzip', 'zstd'])('is read by another reader with the types of its columns (%s)', async (compression) => {
    const { filter } = await rig.recorded([
      nasty,
      { createdAt: time + 1 },
      ...Array.from({ length: 600 }, () => ({ createdAt: time + 2 })),
    ]);
    const response = await rig.exported({ filter, format: 'parquet', includeBodies: true, compression });
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="gatelog-export.parquet"');
    const file = await response.arrayBuffer();
    const rows = await parquetReadObjects({ file, compressors });
    expect(rows).toHaveLength(602);
    expect(rows[0]).toMatchObject({
      request_created_at: new Date(time),
      response_created_at: new Date(time + 250),
      request_user_id: '=1+1',
      latency: 250n,
      response_status: 200n,
      cost: 1e-12,
      cached: true,
      threat: false,
      assets: ['one', 'two'],
      scores: { accuracy: 0.5 },
      inputs: { name: 'Ada' },
      request_body: '{"seed": 12345678901234567890,"text": "\\u00e9 \\n \u2028"}',
      response_body: '-1, "quoted"\n',
    });
    expect(rows[1]).toMatchObject({ cost: null, latency: null, response_created_at: null, request_body: null, assets: [] });
    const types = Object.fromEntries(
      parquetSchema(parquetMetadata(file)).children.map(({ element }) => [element.name, [element.type, element.converted_type]]),
    );
    const codecs = parquetMetadata(file).row_groups.flatMap(({ columns }) => columns.map((column) => column.meta_data?.codec));
    expect(new Set(codecs)).toEqual(new Set([compression === 'none' ? 'UNCOMPRESSED' : (compression?.toUpperCase() ?? 'SNAPPY')]));
    expect(parquetSchema(parquetMetadata(file)).children[1]?.element).toMatchObject({
      name: 'request_created_at',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    });
    expect(types).toMatchObject({
      request_created_at: ['INT64', 'TIMESTAMP_MILLIS'],
      latency: ['INT64', undefined],
      cost: ['DOUBLE', undefined],
      cached: ['BOOLEAN', undefined],
      model: ['BYTE_ARRAY', 'UTF8'],
      properties: [undefined, 'MAP'],
      assets: [undefined, 'LIST'],
    });
  });

  test('of no record is a file all the same', async () => {
    const { filter } = await rig.recorded([]);
    const file = await (await rig.exported({ filter, format: 'parquet' })).arrayBuffer();
    expect(await parquetReadObjects({ file, compressors })).toEqual([]);
  });

  test('is written in groups of rows', async () => {
    const { filter } = await rig.recorded(Array.from({ length: 3000 }, () => ({ properties: new Map([['Text', 'x'.repeat(1000)]]) })));
    const file = await (await rig.exported({ filter, format: 'parquet', columns: ['request_id', 'properties.Text'] })).arrayBuffer();
    expect(parquetMetadata(file).row_groups.length).toBeGreaterThan(2);
    expect(await parquetReadObjects({ file, compressors })).toHaveLength(3000);
  });
});

describe('compression', () => {
  test('gzip and zstd are files that hold the same bytes', async () => {
    const { filter } = await rig.recorded(Array.from({ length: 1500 }, () => ({})));
    const plain = await (await rig.exported({ filter })).text();
    const gzip = await rig.exported({ filter, compression: 'gzip' });
    expect(gzip.headers.get('content-type')).toBe('application/gzip');
    expect(gzip.headers.get('content-disposition')).toContain('.jsonl.gz"');
    expect(gunzipSync(Buffer.from(await gzip.arrayBuffer())).toString()).toBe(plain);
    const zstd = await rig.exported({ filter, compression: 'zstd' });
    const bytes = new Uint8Array(await zstd.arrayBuffer());
    expect(Buffer.from(compressors.ZSTD?.(bytes, Buffer.byteLength(plain)) ?? []).toString()).toBe(plain);
  });
});
