import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Sqlite from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { metadataFileName } from './metadata-file.ts';
import { openMigratedMetadata } from './migrate.ts';
import { createOrganization } from './organization/organizations.ts';
import { isMetadataPrepared } from './prepared.ts';
import { metadataSteps } from './steps.ts';

const now = () => 1_700_000_000_000;
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-prepared-'));
  file = path.join(folder, metadataFileName);
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function prepare(): Promise<void> {
  const database = await openMigratedMetadata(folder, 'core', now);
  await createOrganization(database, 'default', now());
  await database.close();
}

function change(statement: string): void {
  const database = new Sqlite(file);
  database.exec(statement);
  database.close();
}

it('a database with all tables and an organisation needs nothing', async () => {
  await prepare();
  expect(isMetadataPrepared(folder)).toBe(true);
});

it('one that another process writes is read nevertheless', async () => {
  await prepare();
  const writer = new Sqlite(file);
  writer.exec('BEGIN IMMEDIATE');
  expect(isMetadataPrepared(folder)).toBe(true);
  writer.close();
});

it('one without an organisation is to be prepared', async () => {
  await (await openMigratedMetadata(folder, 'core', now)).close();
  expect(isMetadataPrepared(folder)).toBe(false);
});

it.each([
  ['an earlier version', `DELETE FROM schema_migrations WHERE name = '${metadataSteps.at(-1) ?? ''}'`],
  ['a newer version', `INSERT INTO schema_migrations (name, applied_at) VALUES ('9999-later', 0)`],
  ['another branch', `UPDATE schema_migrations SET name = '9999-later' WHERE name = '${metadataSteps.at(-1) ?? ''}'`],
])('the tables of %s are to be prepared', async (_version, statement) => {
  await prepare();
  change(statement);
  expect(isMetadataPrepared(folder)).toBe(false);
});

it.each([
  ['empty', ''],
  ['no database', 'garbage '.repeat(1000)],
])('a file that is %s is to be prepared', (_name, content) => {
  writeFileSync(file, content);
  expect(isMetadataPrepared(folder)).toBe(false);
});

it('a missing file is to be prepared and is not created', () => {
  expect(isMetadataPrepared(folder)).toBe(false);
  expect(existsSync(file)).toBe(false);
});
