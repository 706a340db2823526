import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SeededRandom } from '../../test/support/seeded-random.ts';
import { byLength } from '../../test/support/test-length.ts';
import type { RequestId } from '../model/ids.ts';
import { listSeries } from '../spool/segment.ts';
import { segmentName } from '../spool/spool.ts';
import type { SpoolWriter } from '../spool/writer.ts';
import { chatRequest, type IngestRig, openRig, SpoolRig, written } from './testing/ingest-harness.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

const smallSegmentBytes = 4096;
const limits = { maxRows: 10, maxBytes: 1e9 };

interface StoredBody {
  readonly id: string;
  readonly request: string;
}

async function storedBodies(spool: SpoolRig): Promise<readonly StoredBody[]> {
  return spool.read<StoredBody>(
    `SELECT UUIDNumToString(reverse(reinterpretAsFixedString(request_id))) AS id, request_body AS request FROM bodies WHERE org_id = {tenant:UInt128} ORDER BY request_id`,
  );
}

function segmentCount(spool: SpoolRig): number {
  return Object.values(spool.segments()).flat().length;
}

it('one call that stays open keeps little of what comes after it, over a restart too, and is stored whole when it ends', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter(smallSegmentBytes);
  const stream = writer.newStream();
  const long = spool.writeOpen(writer, stream);
  const ids: RequestId[] = [long];
  const most: number[] = [];
  for (let life = 0; life < 3; life += 1) {
    for (let count = 0; count < 100; count += 1) ids.push(await spool.write(writer));
    const before = segmentCount(spool);
    await spool.drainAll({ limits });
    most.push(segmentCount(spool));
    expect(before).toBeGreaterThan(20);
  }
  expect(Math.max(...most)).toBeLessThan(12);
  expect((await spool.storedIds()).requests).toEqual(ids.slice(1).toSorted());
  spool.writeRest(writer, stream, {});
  await written(writer);
  await spool.drainAll({ limits });
  expect(await spool.storedIds()).toEqual({ requests: ids.toSorted(), bodies: ids.toSorted() });
  expect((await storedBodies(spool)).find(({ id }) => id === long)?.request).toBe(chatRequest);
  await spool.killWriter(writer);
  await spool.drainAll({ limits });
  expect(spool.segments()).toEqual({});
});

it('many calls that began lately do not keep what lies before them with one that stays open', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter(smallSegmentBytes);
  const long = writer.newStream();
  const open = [{ id: spool.writeOpen(writer, long), stream: long }];
  const ids: RequestId[] = [];
  for (let count = 0; count < 100; count += 1) ids.push(await spool.write(writer));
  for (let count = 0; count < 100; count += 1) {
    const stream = writer.newStream();
    open.push({ id: spool.writeOpen(writer, stream), stream });
    writer.append(stream, 2, 'x'.repeat(2000), 1);
  }
  ids.push(await spool.write(writer));
  const before = segmentCount(spool);
  await spool.drainAll({ limits });
  expect(segmentCount(spool)).toBeLessThan(before * 0.7);
  for (const { id, stream } of open) {
    spool.writeRest(writer, stream, { request: '' });
    ids.push(id);
  }
  await spool.killWriter(writer);
  await spool.drainAll({ limits });
  expect((await spool.storedIds()).requests).toEqual(ids.toSorted());
  const bodies = await storedBodies(spool);
  expect(open.slice(1).every(({ id }) => bodies.find((body) => body.id === id)?.request === 'x'.repeat(2000))).toBe(true);
});

/** Puts back some of the segments that are gone, as a power loss may before their deletion is on the disk: later ones go before earlier ones. */
function bringBack(spool: SpoolRig, copy: string, random: SeededRandom): void {
  for (const series of listSeries(copy)) {
    if (!existsSync(path.join(spool.folder, series))) continue;
    const present = new Set(readdirSync(path.join(spool.folder, series)));
    const gone = readdirSync(path.join(copy, series)).filter((name) => name.endsWith('.seg') && !present.has(name));
    for (const name of gone.slice(random.below(gone.length + 1))) {
      cpSync(path.join(copy, series, name), path.join(spool.folder, series, name));
    }
  }
}

it('whatever stays open for how long, and wherever the deletion of what was carried was cut off: each exchange is stored once, whole', async () => {
  const seed = 20261122;
  const random = new SeededRandom(seed);
  const spool = new SpoolRig(rig);
  const writer: SpoolWriter = spool.openWriter(smallSegmentBytes);
  const bodies = new Map<RequestId, string>();
  const open = new Map<RequestId, { readonly stream: number; readonly isLong: boolean; parts: string }>();
  const copy = mkdtempSync(path.join(rig.folder, 'copy-'));
  let carried = 0;
  const step = (): void => {
    const stream = writer.newStream();
    open.set(spool.writeOpen(writer, stream), { stream, isLong: random.below(16) === 0, parts: '' });
    for (const [id, exchange] of open) {
      if (random.below(3) === 0) {
        const part = `${'x'.repeat(random.below(300))} `;
        writer.append(exchange.stream, 2, part, 1);
        exchange.parts += part;
      }
      // Some calls end soon, some stay open for very long.
      if (random.below(exchange.isLong ? 400 : 3) > 0) continue;
      bodies.set(id, exchange.parts);
      open.delete(id);
      spool.writeRest(writer, exchange.stream, { request: '' });
    }
  };
  for (let life = 0; life < byLength(16, 25); life += 1) {
    for (let count = 0; count < 40; count += 1) step();
    await written(writer);
    cpSync(spool.folder, copy, { recursive: true, force: true });
    const before = segmentCount(spool);
    await spool.drainAll({ limits });
    if (open.size > 0 && before - segmentCount(spool) > 5) carried += 1;
    bringBack(spool, copy, random);
  }
  for (const [id, { stream, parts }] of open) {
    bodies.set(id, parts);
    spool.writeRest(writer, stream, { request: '' });
  }
  await spool.killWriter(writer);
  await spool.drainAll({ limits });
  const stored = await storedBodies(spool);
  expect(
    stored.map(({ id, request }) => [id, request]),
    `seed ${seed}`,
  ).toEqual([...bodies].map(([id, text]) => [id, text]).toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1)));
  expect((await spool.storedIds()).requests, `seed ${seed}`).toEqual([...bodies.keys()].toSorted());
  expect(carried, `seed ${seed}`).toBeGreaterThan(byLength(2, 5));
});

it('where frames of a call that stays open cannot be carried the batch counts as stored, and the log says what failed', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter(smallSegmentBytes);
  spool.writeOpen(writer, writer.newStream());
  const ids: RequestId[] = [];
  for (let count = 0; count < 100; count += 1) ids.push(await spool.write(writer));
  const folder = path.join(spool.folder, writer.series);
  // What is carried is written under such a name first.
  for (const segment of spool.segments()[writer.series] ?? []) mkdirSync(path.join(folder, `${segmentName(segment)}.new`));
  await spool.drainAll({ limits });
  expect((await spool.storedIds()).requests).toEqual(ids.toSorted());
  const kinds = new Set(spool.observations.map(({ kind }) => kind));
  expect([kinds.has('job_failed'), kinds.has('batch_failed')]).toEqual([true, false]);
});
