import { Readable } from 'node:stream';
import type { ClickHouseClient, ExecParams } from '@clickhouse/client';
import { expect, test } from 'vitest';
import type { Connections } from '../engine/connections.ts';
import { makeInsertRows } from './insert.ts';
import type { RowFiles } from '../engine/row-files.ts';
import { RowWriter } from './row-writer.ts';

/** What a client was asked for. */
interface Asked {
  readonly query: string;
  readonly bytes: string | undefined;
}

/** Connections whose client writes down what it is asked for. */
function connectionsOf(asked: Asked[], rowFiles: Pick<RowFiles, 'with'> | undefined): Connections {
  const exec = async ({ query, values }: ExecParams & { values?: Readable }): Promise<{ stream: Readable }> => {
    const bytes = values === undefined ? undefined : Buffer.concat((await values.toArray()) as Buffer[]).toString('hex');
    asked.push({ query, bytes });
    return { stream: Readable.from([]) };
  };
  const client = { exec } as unknown as ClickHouseClient;
  const connections: Partial<Connections> = {
    run: (_lane, work) => work(client),
    hasFreeSpace: () => true,
    rowFiles: rowFiles as RowFiles | undefined,
  };
  return connections as Connections;
}

/** Two rows out of one piece of memory, and one of another. */
function someRows(): readonly Uint8Array[] {
  const [one, other] = [new RowWriter(), new RowWriter()];
  return [one.row(() => one.text('a')), one.row(() => one.text('bc')), other.row(() => other.text('d'))];
}

const begin =
  /^INSERT INTO changes \(org_id, request_id, changed_at, number, name, kind, key_id, old, new\) SETTINGS .+, insert_deduplication_token = 't-1'/;

test('a server is sent rows as they are, with all settings in the statement', async () => {
  const asked: Asked[] = [];
  await makeInsertRows(connectionsOf(asked, undefined))('changes', someRows(), 't-1');
  expect(asked).toEqual([{ query: expect.stringMatching(begin) as string, bytes: '01610262630164' }]);
  expect(asked[0]?.query).toMatch(/ FORMAT RowBinary$/);
});

test('the embedded engine reads them from a file, whatever its folder is called', async () => {
  const asked: Asked[] = [];
  const written: Uint8Array[][] = [];
  const rowFiles: Pick<RowFiles, 'with'> = {
    with: (rows, read) => {
      written.push([...rows]);
      return read("/it's/a \\folder/1.rows");
    },
  };
  await makeInsertRows(connectionsOf(asked, rowFiles))('changes', someRows(), 't-1');
  expect(asked).toEqual([
    { query: expect.stringMatching(/ SETTINGS .+, insert_deduplication_token = 't-1' /) as string, bytes: undefined },
  ]);
  expect(
    asked[0]?.query.startsWith(
      String.raw`INSERT INTO changes (org_id, request_id, changed_at, number, name, kind, key_id, old, new) FROM INFILE '/it\'s/a \\folder/1.rows' COMPRESSION 'none' SETTINGS `,
    ),
  ).toBe(true);
  expect(asked[0]?.query).toMatch(/ FORMAT RowBinary$/);
  // Rows that stand behind each other in memory are written in one go.
  expect(written.map((pieces) => pieces.map((piece) => Buffer.from(piece).toString('hex')))).toEqual([['0161026263', '0164']]);
});
