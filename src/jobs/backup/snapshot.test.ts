import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type IngestRig, openRig, SpoolRig, until } from '../../ingest/testing/ingest-harness.ts';
import type { Drain } from '../../ingest/drain.ts';
import { copyMetadata } from '../../metadata/copy.ts';
import { lastPendingSequence } from '../../metadata/pending-changes.ts';
import type { RequestId } from '../../model/ids.ts';
import { copyAudit } from '../../audit/copy.ts';
import { auditFileName, openAuditDatabase } from '../../audit/database.ts';
import { copyEvents } from '../../events/database/copy.ts';
import { type EventsDatabase, eventsSteps, openEvents } from '../../events/database/database.ts';
import { readPositions, storePositions } from '../../events/log/positions.ts';
import { openCheckpointFile } from '../../spool/checkpoint.ts';
import type { SpoolWriter } from '../../spool/writer.ts';
import type { StoreParts } from '../../store/parts/list-parts.ts';
import { type SnapshotPorts, takeSnapshot } from './snapshot.ts';

let rig: IngestRig;
let events: EventsDatabase;
beforeAll(async () => {
  rig = await openRig();
  events = await openEvents(rig.folder, Date.now);
  await (await openAuditDatabase(rig.folder, Date.now)).close();
});
afterAll(async () => {
  await events.close();
  await rig.close();
});

/** More than an ingest that does not stand still needs to store an exchange. */
const chanceMs = 1000;

async function listParts(): Promise<StoreParts> {
  if (rig.store.listParts === undefined) throw new Error('the rig has an embedded store');
  return rig.store.listParts();
}

async function rowsNow(): Promise<number> {
  const { parts } = await listParts();
  return parts.filter(({ table }) => table === 'requests').reduce((sum, { rows }) => sum + rows, 0);
}

function portsOf(spool: SpoolRig, drain: Drain, given: Partial<SnapshotPorts> = {}): SnapshotPorts {
  return {
    whilePaused: (work) => drain.whilePaused(work, 10_000),
    listParts,
    lastPendingChange: () => lastPendingSequence(rig.database),
    copyMetadata: (file, options) => copyMetadata(rig.folder, file, options),
    copyEvents: (file) => copyEvents(rig.folder, file),
    copyAudit: (file) => copyAudit(rig.folder, file),
    spoolFolder: spool.folder,
    deadLetterFolder: spool.deadLetterFolder,
    secretFile: path.join(rig.folder, 'secret.key'),
    ...given,
  };
}

interface Running {
  readonly spool: SpoolRig;
  readonly writer: SpoolWriter;
  readonly drain: Drain;
  readonly folder: string;
}

async function running(): Promise<Running> {
  const spool = new SpoolRig(rig);
  const drain = await spool.openDrain();
  drain.start();
  return { spool, writer: spool.openWriter(), drain, folder: path.join(rig.folder, `snapshot-of-${path.basename(spool.folder)}`) };
}

describe('a snapshot is of one moment', () => {
  test('what is in its spool is not in its store, also when it comes while the snapshot is taken', async () => {
    const { spool, writer, drain, folder } = await running();
    await spool.write(writer);
    await until(async () => (await spool.rows()).length === 1);
    const before = await rowsNow();
    let late: RequestId | undefined;
    const snapshot = await takeSnapshot(
      portsOf(spool, drain, {
        lastPendingChange: async () => {
          late = await spool.write(writer);
          return lastPendingSequence(rig.database);
        },
        copyMetadata: async (file, options) => {
          await Promise.race([until(async () => (await spool.rows()).length === 2), wait(chanceMs)]);
          return copyMetadata(rig.folder, file, options);
        },
      }),
      folder,
      false,
    );
    expect(snapshot.rows['requests']).toBe(before);
    const series = readdirSync(path.join(folder, 'spool')).find((name) => name.startsWith('series')) ?? '';
    const [segment = ''] = readdirSync(path.join(folder, 'spool', series));
    expect(snapshot.segments[`spool/${series}/${segment}`]).toBe(statSync(path.join(spool.folder, series, segment)).size);
    const { accepted } = openCheckpointFile(path.join(folder, 'spool')).load();
    expect(accepted[series]?.offset).toBeLessThan(snapshot.segments[`spool/${series}/${segment}`] ?? 0);
    // Afterwards the ingest goes on.
    await until(async () => (await spool.rows()).some(({ id }) => id === late));
    await drain.stop(10_000);
  });

  test('no position of a webhook in it is beyond its records, and its deliveries are not older than its erasures', async () => {
    const { spool, drain, folder } = await running();
    const { organizationId } = spool;
    const order: string[] = [];
    const snapshot = await takeSnapshot(
      portsOf(spool, drain, {
        copyMetadata: async (file, options) => {
          order.push('metadata');
          return copyMetadata(rig.folder, file, options);
        },
        copyEvents: async (file) => {
          order.push('events');
          const steps = await copyEvents(rig.folder, file);
          await storePositions(events, [{ webhookId: 'w', organizationId, position: 7 }]);
          return steps;
        },
        copyAudit: async (file) => {
          order.push('audit');
          return copyAudit(rig.folder, file);
        },
        listParts: async () => {
          order.push('store');
          return listParts();
        },
      }),
      folder,
      false,
    );
    expect(order).toEqual(['metadata', 'events', 'audit', 'store']);
    expect(existsSync(path.join(folder, auditFileName))).toBe(true);
    expect(snapshot.eventsSteps).toEqual([...eventsSteps].toSorted());
    const copy = await openEvents(folder, Date.now);
    expect(await readPositions(copy)).toEqual([]);
    await copy.close();
    await drain.stop(10_000);
  });

  test('its files stay when the service deletes them, and what is appended later does not count', async () => {
    const { spool, writer, drain, folder } = await running();
    const open = await spool.write(writer, { end: null });
    const snapshot = await takeSnapshot(portsOf(spool, drain), folder, false);
    const [name = ''] = Object.keys(snapshot.segments);
    const bytes = snapshot.segments[name] ?? 0;
    await spool.write(writer);
    await spool.killWriter(writer);
    await until(async () => (await spool.rows()).some(({ id }) => id === open) && Object.keys(spool.segments()).length === 0);
    expect(statSync(path.join(folder, name)).size).toBeGreaterThan(bytes);
    await drain.stop(10_000);
  });

  test('a dead letter that goes while letters are linked is left out', async () => {
    const { spool, drain, folder } = await running();
    const names = Array.from({ length: 200 }, (_, index) => `${index}.letter`);
    mkdirSync(spool.deadLetterFolder, { recursive: true });
    for (const name of names) writeFileSync(path.join(spool.deadLetterFolder, name), '{}\n{}');
    const gone = readdirSync(spool.deadLetterFolder).at(-1) ?? '';
    const target = path.join(folder, 'dead-letters');
    const isUnderWay = (): boolean => existsSync(target) && readdirSync(target).length > 0;
    const taking = takeSnapshot(portsOf(spool, drain), folder, false);
    for (let turns = 0; turns < 1_000_000 && !isUnderWay(); turns += 1) await turn();
    rmSync(path.join(spool.deadLetterFolder, gone));
    await taking;
    expect(readdirSync(target).toSorted()).toEqual(names.filter((name) => name !== gone).toSorted());
    await drain.stop(10_000);
  });

  test('a part that a merge removes between the look and the link is looked for again', async () => {
    const { spool, writer, drain, folder } = await running();
    await spool.write(writer);
    await until(async () => (await spool.rows()).length === 1);
    let looks = 0;
    let listed: StoreParts['parts'] = [];
    const snapshot = await takeSnapshot(
      portsOf(spool, drain, {
        listParts: async () => {
          looks += 1;
          const found = await listParts();
          listed = found.parts;
          const part = (name: string): StoreParts['parts'][number] => ({
            table: 'requests',
            name,
            folder: path.join(rig.folder, name),
            rows: 1,
          });
          // One is replaced after the first look, one is gone before it can be linked.
          mkdirSync(path.join(rig.folder, 'replaced'), { recursive: true });
          writeFileSync(path.join(rig.folder, 'replaced', 'data.bin'), 'rows');
          return looks === 1 ? { ...found, parts: [...found.parts, part('replaced'), part('gone')] } : found;
        },
      }),
      folder,
      false,
    );
    expect(looks).toBe(2);
    expect(snapshot.rows['requests']).toBe(await rowsNow());
    const names = listed.filter(({ table }) => table === 'requests').map(({ name }) => name);
    expect(readdirSync(path.join(folder, 'store', 'requests')).toSorted()).toEqual(names.toSorted());
    await drain.stop(10_000);
  });
});

function onFullDisk(): never {
  throw new Error('the disk is full');
}

test('of a snapshot that fails nothing is left, and the ingest goes on', async () => {
  const { spool, writer, drain, folder } = await running();
  await expect(takeSnapshot(portsOf(spool, drain, { copyMetadata: onFullDisk }), folder, false)).rejects.toThrow('the disk is full');
  expect(existsSync(folder)).toBe(false);
  await spool.write(writer);
  await until(async () => (await spool.rows()).length === 1);
  await drain.stop(10_000);
});
