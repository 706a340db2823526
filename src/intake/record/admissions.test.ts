import { expect, it } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import type { Principal } from '../../model/principal.ts';
import { surfaceBounds } from '../../model/record/surface-bounds.ts';
import type { Position } from '../../spool/spool.ts';
import { Admissions } from './admissions.ts';

const { units, sharePercent, bytesOfUnit, unitsOfLateMonth } = surfaceBounds.logs.waiting;
const share = (units * sharePercent) / 100;
const maxBytes = 4 * 1024 ** 3;
const now = Date.UTC(2026, 10, 1);
const ownerOf = (name: string): Principal => ({ organizationId: name as unknown as OrganizationId }) as Principal;

function admissionsWith(given: { readonly usedBytes?: number } = {}) {
  const accepted: Record<string, Position> = {};
  let monotonic = 0;
  const admissions = new Admissions({
    accepted: () => accepted,
    usedBytes: () => given.usedBytes ?? 0,
    maxBytes,
    processes: 2,
    now: () => now,
    // Each look is a second later, so that nobody waits here.
    monotonic: () => (monotonic += 1000),
  });
  const record = async (name: string, records: number, { bytes = 0, startedAt = (_index: number) => now } = {}): Promise<void> => {
    const { written, end } = await admissions.admit(ownerOf(name), {
      bytes,
      startedAt: Array.from({ length: records }, (_, index) => startedAt(index)),
    });
    written({ series: 'one', segment: 1, offset: records });
    end();
  };
  return { record, accepted };
}

const isFull = { code: 'backlog_full', status: 429, retryAfterSeconds: 5 };

it('an organisation whose share waits for the store is refused, and another is let in', async () => {
  const { record } = admissionsWith();
  await record('loud', share);
  await expect(record('loud', 1)).rejects.toMatchObject(isFull);
  await expect(record('quiet', 1)).resolves.toBeUndefined();
});

it('one that has nothing there is let in, however much the others have', async () => {
  const { record } = admissionsWith();
  for (const name of ['a', 'b', 'c', 'd']) await record(name, units);
  await record('quiet', 1);
  await expect(record('quiet', 1)).rejects.toMatchObject(isFull);
});

it('what the store has taken is forgotten', async () => {
  const { record, accepted } = admissionsWith();
  await record('loud', share);
  accepted['one'] = { segment: 1, offset: share };
  await expect(record('loud', share)).resolves.toBeUndefined();
});

it('large records and months of long ago count as more', async () => {
  const large = admissionsWith();
  await large.record('loud', 1, { bytes: share * bytesOfUnit });
  await expect(large.record('loud', 1)).rejects.toMatchObject(isFull);
  const late = admissionsWith();
  await late.record('loud', share / unitsOfLateMonth, { startedAt: (index) => Date.UTC(2026, 9 - index, 1) });
  await expect(late.record('loud', 1)).rejects.toMatchObject(isFull);
});

it('bytes are shared as well, and a quarter of the spool is for calls, and for organisations of which little waits', async () => {
  const { record } = admissionsWith();
  await record('loud', 0, { bytes: maxBytes / 8 });
  await expect(record('loud', 0, { bytes: maxBytes / 8 })).rejects.toMatchObject(isFull);
  await record('quiet', 0, { bytes: maxBytes / 32 });
  const isSpoolFull = { code: 'spool_unavailable', status: 503 };
  const nearlyFull = admissionsWith({ usedBytes: maxBytes * 0.75 });
  // What another organisation filled the spool with also delays the records before it.
  for (let second = 0; second < 10; second += 1) await nearlyFull.record('quiet', 1, { bytes: 1000 });
  await nearlyFull.record('large', 1, { bytes: 1024 * 1024 });
  await expect(nearlyFull.record('large', 1, { bytes: 1 })).rejects.toMatchObject(isSpoolFull);
  await expect(admissionsWith({ usedBytes: (maxBytes * 15) / 16 }).record('quiet', 1, { bytes: 1 })).rejects.toMatchObject(isSpoolFull);
});

it('while the store takes nothing, records wait in the spool as calls do', async () => {
  const { record } = admissionsWith();
  await record('loud', share);
  await expect(record('loud', 1)).rejects.toMatchObject(isFull);
  for (let tries = 0; tries < 20; tries += 1) await record('loud', 1).catch(() => undefined);
  await expect(record('loud', 1)).resolves.toBeUndefined();
});
