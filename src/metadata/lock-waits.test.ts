import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import Sqlite from 'libsql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { storeTrustedTime, readTrustedTime } from './trusted-time.ts';
import type { MetadataDatabase } from './database.ts';
import { inWriteTransaction } from '../platform/sqlite/database.ts';
import { metadataFileName } from './metadata-file.ts';
import { openMigratedMetadata } from './migrate.ts';

let folder: string;
let database: MetadataDatabase;
let holder: Sqlite.Database;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-locks-'));
  database = await openMigratedMetadata(folder, 'core', () => 0);
  holder = new Sqlite(path.join(folder, metadataFileName));
});
afterEach(async () => {
  holder.close();
  await database.close();
  rmSync(folder, { recursive: true });
});

const keep = (at: number): Promise<void> => storeTrustedTime(database, at);
const keepInTransaction = (at: number): Promise<void> => inWriteTransaction(database, (transaction) => storeTrustedTime(transaction, at));

/** 2: a prepared statement outside of transactions waits for the disk. */
async function synchronous(): Promise<number | undefined> {
  return (await sql<{ synchronous: number }>`pragma synchronous`.execute(database.queries)).rows[0]?.synchronous;
}

test('what has waited in vain for another process does not stand in the way of what is written afterwards', async () => {
  holder.exec('BEGIN IMMEDIATE');
  const tried = [keep(1), keepInTransaction(2), keep(3), keepInTransaction(4)];
  for (const { status } of await Promise.allSettled(tried)) expect(status).toBe('rejected');
  expect(await synchronous()).toBe(2);
  holder.exec('ROLLBACK');
  for (let at = 10; at < 20; at += 1) {
    await keepInTransaction(at);
    expect(await readTrustedTime(database)).toBe(at);
    await keep(at + 100);
    expect(await readTrustedTime(database)).toBe(at + 100);
  }
});

test('a write waits for another process and goes on once that has let go; one that fails leaves nothing of itself', async () => {
  holder.exec('BEGIN IMMEDIATE');
  const waiting = keep(5);
  setImmediate(() => holder.exec('ROLLBACK'));
  await waiting;
  expect(await readTrustedTime(database)).toBe(5);
  await expect(keep(Number.NaN)).rejects.toThrow('NOT NULL');
  await expect(
    inWriteTransaction(database, async (transaction) => {
      await storeTrustedTime(transaction, 6);
      throw new Error('in the middle');
    }),
  ).rejects.toThrow('in the middle');
  expect(await readTrustedTime(database)).toBe(5);
  expect(await synchronous()).toBe(2);
  await keep(7);
  expect(await readTrustedTime(database)).toBe(7);
});
