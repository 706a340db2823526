import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AuditEntry } from '../model/audit.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { Observation } from '../model/observation.ts';
import { copyAudit } from './copy.ts';
import { auditSteps } from '../metadata/steps.ts';
import { type AuditDatabase, auditFileName, openAuditDatabase } from './database.ts';
import { makeNoteAudit } from './note.ts';
import { pruneAudit } from './prune.ts';
import { type AuditPosition, type AuditSearch, searchAudit } from './search.ts';

const ours = '0190b3a4-0000-7000-8000-000000000001' as OrganizationId;
const theirs = '0190b3a4-0000-7000-8000-000000000002' as OrganizationId;
let folder: string;
let database: AuditDatabase;
let sync: () => Promise<void>;
let at = 0;
let observations: Observation[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-audit-'));
  database = await openAuditDatabase(folder, Date.now);
  at = 1000;
  sync = () => Promise.resolve();
  observations = [];
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const noteIn = (opened: AuditDatabase) =>
  makeNoteAudit({
    database: opened,
    sync: () => sync(),
    now: () => (at += 1),
    observe: (observation) => void observations.push(observation),
  });
const entry = (given: Partial<AuditEntry> = {}): AuditEntry => ({
  organizationId: ours,
  personId: 'ada',
  keyId: null,
  action: 'setRequestProperties',
  target: 'r1',
  filter: null,
  address: '192.0.2.1',
  ...given,
});

/** All pages of a search. */
async function all(search: Partial<AuditSearch> = {}): Promise<readonly (string | null)[]> {
  const targets: (string | null)[] = [];
  let behind: AuditPosition | undefined;
  do {
    const page = await searchAudit(database, { organizationId: ours, limit: 3, ...search, behind });
    targets.push(...page.entries.map(({ target }) => target));
    behind = page.next;
  } while (behind !== undefined);
  return targets;
}

describe('an entry', () => {
  test('is there when it was noted, also of many at once, in their order', async () => {
    const note = noteIn(database);
    await Promise.all(Array.from({ length: 1200 }, (_, number) => note(entry({ target: String(number) }))));
    const found = await all({ limit: 1000 });
    expect(found).toEqual(Array.from({ length: 1200 }, (_, number) => String(1199 - number)));
  });

  test('of many at once share transactions', async () => {
    let transactions = 0;
    const queries = new Proxy(database.queries, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (name === 'connection') transactions += 1;
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
    const counting: AuditDatabase = { ...database, queries };
    const note = noteIn(counting);
    await Promise.all(Array.from({ length: 100 }, () => note(entry())));
    expect(transactions).toBeLessThanOrEqual(2);
  });

  test('of a read is written and waits for no disk; that of a change waits until the disk has it', async () => {
    const note = noteIn(database);
    let synced: (() => void) | undefined;
    sync = () =>
      new Promise((resolve) => {
        synced = resolve;
      });
    await note(entry({ target: 'read' }), 'read');
    const changed = note(entry({ target: 'changed' }), 'change');
    await vi.waitUntil(async () => (await all()).length === 2);
    const isFirst = await Promise.race([changed.then(() => 'answered'), Promise.resolve('waits')]);
    expect(isFirst).toBe('waits');
    synced?.();
    await changed;
    sync = () => Promise.reject(new Error('EIO'));
    await note(entry(), 'read');
    await expect(note(entry(), 'change')).rejects.toThrow('The audit log cannot be written');
  });

  test('that cannot be written is told to all whose it is, and to the operator; the next ones are written', async () => {
    const note = noteIn(database);
    await database.queries.schema.alterTable('audit_entries').renameTo('away').execute();
    const results = await Promise.allSettled([note(entry()), note(entry())]);
    expect(results.map((result) => result.status === 'rejected' && (result.reason as { readonly code: string }).code)).toEqual([
      'audit_unavailable',
      'audit_unavailable',
    ]);
    expect(observations).toEqual([expect.objectContaining({ kind: 'audit_failed' })]);
    await database.queries.schema.alterTable('away').renameTo('audit_entries').execute();
    await note(entry({ target: 'later' }));
    expect(await all()).toEqual(['later']);
  });

  test('has bounds: a long target is cut, and of a long filter its beginning stays, as JSON', async () => {
    await noteIn(database)(entry({ target: 'x'.repeat(5000), filter: JSON.stringify({ filter: 'y'.repeat(20_000) }) }));
    const { entries } = await searchAudit(database, { organizationId: ours, limit: 1 });
    expect(entries[0]?.target).toHaveLength(512);
    expect(JSON.parse(entries[0]?.filter ?? '')).toMatchObject({ characters: 20_013 });
  });
});

describe('a search', () => {
  beforeEach(async () => {
    const note = noteIn(database);
    for (let number = 0; number < 5; number += 1) {
      const [personId, keyId] = number % 2 === 0 ? ['ada', null] : [null, 'k1'];
      await note(entry({ personId, keyId, target: `t${number}`, action: number < 3 ? 'a' : 'b' }));
    }
    await note(entry({ organizationId: theirs, target: 'of another organisation' }));
  });

  test.each<readonly [string, Partial<AuditSearch>, readonly string[]]>([
    ['everything of the organisation, the newest first, page by page', {}, ['t4', 't3', 't2', 't1', 't0']],
    ['a person', { who: 'ada' }, ['t4', 't2', 't0']],
    ['a key', { who: 'k1' }, ['t3', 't1']],
    ['an action', { action: 'b' }, ['t4', 't3']],
    ['a target', { target: 't2' }, ['t2']],
    ['times, the end exclusive', { fromMs: 1002, toMs: 1004 }, ['t2', 't1']],
    ['what is not there', { who: 'eve' }, []],
  ])('finds %s', async (_what, search, found) => {
    expect(await all(search)).toEqual(found);
  });

  test('goes on behind a place while entries come', async () => {
    const first = await searchAudit(database, { organizationId: ours, limit: 2 });
    await noteIn(database)(entry({ target: 'new' }));
    const second = await searchAudit(database, { organizationId: ours, limit: 2, behind: first.next });
    expect([...first.entries, ...second.entries].map(({ target }) => target)).toEqual(['t4', 't3', 't2', 't1']);
  });

  test('among thousands finds the oldest', async () => {
    const note = noteIn(database);
    await Promise.all(Array.from({ length: 5000 }, () => note(entry({ target: 'many' }))));
    expect(await all({ target: 't0' })).toEqual(['t0']);
  });
});

test('what is older than the retention goes, and nothing else', async () => {
  const note = noteIn(database);
  await Promise.all(Array.from({ length: 2500 }, (_, number) => note(entry({ target: String(number) }))));
  expect(await pruneAudit(database, 1000 + 2499)).toBe(2498);
  expect(await all()).toEqual(['2499', '2498']);
  expect(await pruneAudit(database, 0)).toBe(0);
});

test('a copy has what was noted before, and opens as the database of a data folder', async () => {
  await noteIn(database)(entry({ target: 'before' }));
  const other = mkdtempSync(path.join(folder, "it's-a-copy-"));
  expect(await copyAudit(folder, path.join(other, auditFileName))).toEqual(auditSteps);
  await noteIn(database)(entry({ target: 'after' }));
  const copy = await openAuditDatabase(other, Date.now);
  expect((await searchAudit(copy, { organizationId: ours, limit: 10 })).entries.map(({ target }) => target)).toEqual(['before']);
  await copy.close();
});
