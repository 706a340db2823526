import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../../test/support/seeded-random.ts';
import type { JsonObject } from '../../../model/text.ts';
import { makeRecords } from '../testing/records.ts';
import { csvColumns, exportToolFile } from '../testing/export-files.ts';
import { CsvSplitter } from './csv.ts';
import { ObjectSplitter } from './json-objects.ts';
import { type FilePosition, readFiles } from './read-files.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'files-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, content: string | Buffer): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

async function read(files: readonly string[], start: FilePosition = { file: 0, records: 0 }, batchSize = 7): Promise<JsonObject[]> {
  const records: JsonObject[] = [];
  for await (const batch of readFiles(files, start, batchSize)) records.push(...batch.records);
  return records;
}

const rows: readonly JsonObject[] = makeRecords({ count: 60, seed: 5, firstDay: '2026-03-01', days: 2 }).map(({ row, bodies }) => ({
  ...row,
  request_body: bodies?.request ?? null,
  response_body: bodies?.response ?? null,
}));

describe("files of upstream's export tool", () => {
  it.each([
    ['jsonl', 'plain'],
    ['jsonl', 'gzip'],
    ['json', 'plain'],
    ['json', 'gzip'],
  ] as const)('a %s file (%s) gives its records, whatever its name is', async (format, compression) => {
    const text = exportToolFile(rows, format);
    const file = fileOf(`records-${format}-${compression}`, compression === 'gzip' ? gzipSync(text) : text);
    expect(await read([file])).toEqual(rows);
  });

  it('a csv file gives the columns that it has, JSON as objects although the tool doubles its quotes twice', async () => {
    const records = await read([fileOf('output.csv', exportToolFile(rows, 'csv'))]);
    expect(records).toHaveLength(rows.length);
    for (const [index, record] of records.entries()) {
      const row = rows[index] ?? {};
      for (const column of csvColumns) {
        const value = row[column];
        const isEmpty = value === null || value === undefined || value === '';
        const expected = isEmpty ? undefined : typeof value === 'number' ? String(value) : value;
        expect(record[column]).toEqual(expected);
      }
    }
  });

  it('a csv file has no identifiers of requests: each gets one that is the same the next time, and no other has', async () => {
    const file = fileOf('ids.csv', exportToolFile(rows, 'csv'));
    const [first, second] = [await read([file]), await read([file])].map((records) => records.map((record) => record['request_id']));
    expect(first).toEqual(second);
    expect(new Set(first).size).toBe(rows.length);
    expect(first?.every((id) => /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/.test(String(id)))).toBe(true);
  });

  it('a reading goes on behind any record of any file', async () => {
    const files = [
      fileOf('one.jsonl', exportToolFile(rows.slice(0, 25), 'jsonl')),
      fileOf('two.json', exportToolFile(rows.slice(25), 'json')),
    ];
    for (const [position, skipped] of [
      [{ file: 0, records: 7 }, 7],
      [{ file: 1, records: 0 }, 25],
      [{ file: 1, records: 21 }, 46],
      [{ file: 2, records: 0 }, 60],
    ] as const) {
      expect(await read(files, position)).toEqual(rows.slice(skipped));
    }
  });

  it('a broken line is passed on without an identifier, so that it is reported, and the others are read', async () => {
    const [first, second] = rows.map((row) => JSON.stringify(row));
    const records = await read([fileOf('broken.jsonl', `${first}\n${second?.slice(0, 40)}\n\n${second}`)]);
    expect(records.map((record) => record['request_id'])).toEqual([rows[0]?.['request_id'], undefined, rows[1]?.['request_id']]);
  });

  it('a file that ends within its last record passes on the rest as one that is broken', async () => {
    const text = exportToolFile(rows.slice(0, 3), 'json');
    const records = await read([fileOf('cut.json', text.slice(0, -60))]);
    expect(records.map((record) => record['request_id'])).toEqual([rows[0]?.['request_id'], rows[1]?.['request_id'], undefined]);
  });

  it('an empty file has no records; one that is missing, or a folder, is named', async () => {
    expect(await read([fileOf('empty', ' \n')])).toEqual([]);
    await expect(read([path.join(folder, 'nowhere')])).rejects.toThrow(/nowhere cannot be read \(ENOENT/);
    await expect(read([folder])).rejects.toThrow(/cannot be read \(EISDIR/);
  });
});

const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'ü', '{', ';') });

describe('splitting what arrives in pieces', () => {
  it('CSV comes back as it was written, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1 }), fc.nat(), (table, seed) => {
        const text = table.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(',')).join('\r\n');
        const splitter = new CsvSplitter();
        const found = piecesOf(text, seed).flatMap((piece) => splitter.add(piece));
        const last = splitter.end();
        expect(last === undefined ? found : [...found, last]).toEqual(table);
      }),
    );
  });

  it('objects of an array come back, wherever it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(cell, fc.oneof(cell, fc.dictionary(cell, cell)))),
        fc.nat(),
        fc.boolean(),
        (objects, seed, isLong) => {
          const text = `[${objects.map((object) => `${JSON.stringify(object, null, isLong ? 2 : 0)},\n`).join('')}]`;
          const splitter = new ObjectSplitter();
          const found = piecesOf(text, seed).flatMap((piece) => splitter.add(piece));
          expect(found.map((object) => JSON.parse(object) as unknown)).toEqual(objects);
          expect(splitter.isOpen).toBe(false);
        },
      ),
    );
  });
});

function piecesOf(text: string, seed: number): string[] {
  const random = new SeededRandom(seed);
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const length = 1 + random.below(5);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}
