import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Checkpoint, openCheckpointFile, spoolIdentity } from './checkpoint.ts';

let spool: string;
beforeEach(() => {
  spool = mkdtempSync(path.join(tmpdir(), 'gatelog-checkpoint-'));
});
afterEach(() => {
  rmSync(spool, { recursive: true });
});

const file = (): string => path.join(spool, 'checkpoint.json');
const position = { segment: 2 ** 33, offset: 2 ** 35 };
const checkpoint: Checkpoint = {
  lastBatch: 7,
  accepted: { one: position },
  intended: { batch: 8, series: { one: { from: position, to: { segment: 1, offset: 2 } } } },
};

test('a spool without a checkpoint begins at the beginning', () => {
  expect(openCheckpointFile(spool).load()).toEqual({ lastBatch: 0, accepted: {} });
});

test('a checkpoint comes back as it was saved, in whole and for its owner only', () => {
  openCheckpointFile(spool).save(checkpoint);
  expect(openCheckpointFile(spool).load()).toEqual(checkpoint);
  openCheckpointFile(spool).save({ lastBatch: 8, accepted: {} });
  expect(openCheckpointFile(spool).load()).toEqual({ lastBatch: 8, accepted: {} });
  expect(readdirSync(spool)).toEqual(['checkpoint.json']);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test.each([
  [{ version: 2, lastBatch: 1, accepted: {} }, 'version 2'],
  [{ lastBatch: 1, accepted: {} }, 'version undefined'],
  [null, 'version undefined'],
])('%j is refused and left as it is', (content, reason) => {
  writeFileSync(file(), JSON.stringify(content));
  expect(() => openCheckpointFile(spool).load()).toThrow(reason);
  expect(readFileSync(file(), 'utf8')).toBe(JSON.stringify(content));
});

test.each(['', '{"version":1,"lastBatch":'])(
  'a damaged checkpoint %j is refused, since to start over would store everything twice',
  (content) => {
    writeFileSync(file(), content);
    expect(() => openCheckpointFile(spool).load()).toThrow('damaged');
  },
);

test('a spool keeps its identity, and another has another', () => {
  const identity = spoolIdentity(spool);
  expect(identity).toMatch(/^[0-9a-f-]{36}$/);
  expect(spoolIdentity(spool)).toBe(identity);
  rmSync(path.join(spool, 'id'));
  expect(spoolIdentity(spool)).not.toBe(identity);
});
