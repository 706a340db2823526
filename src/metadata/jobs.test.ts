import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newId } from '../ingest/testing/ingest-harness.ts';
import type { Job } from '../model/jobs/job.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { MetadataDatabase } from './database.ts';
import { addJob, advanceJob, findJob, forgetOldJobs, forgetUserInJobs, latestJobNumber, listJobs } from './jobs.ts';
import { openMigratedMetadata } from './migrate.ts';

let folder: string;
let database: MetadataDatabase;
const organizationId: OrganizationId = newId();

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-jobs-'));
  database = await openMigratedMetadata(folder, 'core', Date.now);
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const page = { limit: 10, offset: 0 };
const properties = {
  set: new Map([
    ['__proto__', 'a\0'],
    ['10', 'b'],
    ['9', 'c'],
  ] as const),
  remove: ['Draft'],
};

async function added(filter: unknown, organization = organizationId): Promise<Job> {
  const order = { kind: 'property', filter, properties } as const;
  const job = await addJob(database, { id: newId(), organizationId: organization, keyId: 'key', order, at: 1 }, 100);
  if (job === undefined) throw new Error('there are too many');
  return job;
}

test('a job is found as it was ordered, by its organisation alone', async () => {
  const job = await added({ a: 'b' });
  expect(await findJob(database, organizationId, job.id)).toEqual(job);
  expect(job.order).toEqual({ kind: 'property', filter: { a: 'b' }, properties });
  expect(await findJob(database, newId(), job.id)).toBeUndefined();
  expect(await listJobs(database, newId(), page)).toEqual([]);
});

test('a job that has ended does not change any more', async () => {
  const { id } = await added('all');
  expect(await advanceJob(database, id, { state: 'running', number: 7, startedAt: 2, total: 5 })).toBe(true);
  expect(await advanceJob(database, id, { state: 'cancelled', endedAt: 3 })).toBe(true);
  expect(await advanceJob(database, id, { state: 'done', endedAt: 4 })).toBe(false);
  expect(await findJob(database, organizationId, id)).toMatchObject({ state: 'cancelled', endedAt: 3, total: 5 });
  expect(await latestJobNumber(database)).toBe(7);
  await forgetOldJobs(database, 3);
  expect(await listJobs(database, organizationId, page)).toHaveLength(1);
  await forgetOldJobs(database, 4);
  expect(await listJobs(database, organizationId, page)).toEqual([]);
});

test('a filter that names an erased user is forgotten once its requests are listed, and no other', async () => {
  const ofUser = { request_response_rmt: { user_id: { equals: 'Ann "A"' } } };
  const [listed, waiting, other] = [
    await added(ofUser),
    await added(ofUser),
    await added({ request_response_rmt: { status: { equals: 200 } } }),
  ];
  const foreign = await added(ofUser, newId());
  for (const { id } of [listed, other, foreign]) await advanceJob(database, id, { total: 1 });
  await forgetUserInJobs(database, organizationId, 'Ann "A"');
  const filters = (await listJobs(database, organizationId, page)).map(({ order }) => order.kind === 'property' && order.filter);
  expect(filters).toEqual(
    [other, waiting, listed].map((job) => (job === listed ? null : job.order.kind === 'property' && job.order.filter)),
  );
  expect((await findJob(database, foreign.organizationId, foreign.id))?.order).toEqual(foreign.order);
});
