import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IngestRig, makeGate, openRig, SpoolRig, until, written } from '../../ingest/testing/ingest-harness.ts';
import { listJobs } from '../../metadata/jobs.ts';
import type { Job, JobOrder } from '../../model/jobs/job.ts';
import { GatelogError } from '../../model/errors.ts';
import { BulkJobs } from './bulk-jobs.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

const order: JobOrder = { kind: 'property', filter: 'all', properties: { set: new Map([['Team', 'a']]), remove: [] } };

/** Jobs over a spool, whose ingest has not begun. */
async function openJobs(spool: SpoolRig, maxUnfinished = 20) {
  const core = await spool.openCore();
  const jobs = new BulkJobs({ ...rig, drain: core.drain, changer: core.changer, observe: () => undefined }, { maxUnfinished });
  return { ...core, jobs };
}

const jobsOf = ({ organizationId }: SpoolRig): Promise<readonly Job[]> => listJobs(rig.database, organizationId, { limit: 100, offset: 0 });

async function untilEnded(spool: SpoolRig): Promise<readonly Job[]> {
  await until(async () => (await jobsOf(spool)).every(({ endedAt }) => endedAt !== null));
  return jobsOf(spool);
}

const refusal = (jobs: BulkJobs, spool: SpoolRig): Promise<unknown> =>
  jobs.order(spool.principal, order).then(
    () => undefined,
    (error: unknown) => (error instanceof GatelogError ? error.code : error),
  );

describe('a bulk change', () => {
  it('covers requests on their way to the store whose call has ended, and not those of open calls', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const { drain, jobs } = await openJobs(spool);
    const ended = await spool.write(writer);
    const stream = writer.newStream();
    const open = spool.writeOpen(writer, stream);
    await written(writer);
    await jobs.order(spool.principal, order);
    await until(async () => (await jobsOf(spool))[0]?.state === 'running');
    drain.start();
    expect(await untilEnded(spool)).toMatchObject([{ state: 'done', total: 1, outcomes: { changed: 1 } }]);
    spool.writeRest(writer, stream, {});
    await written(writer);
    await until(async () => (await spool.rows()).length === 2);
    const teams = Object.fromEntries((await spool.rows()).map(({ id, properties }) => [id, properties['Team']]));
    expect(teams).toEqual({ [ended]: 'a', [open]: undefined });
    await drain.stop(10_000);
    await jobs.stop();
  });

  it('waits for earlier ones of its organisation, of which there may be so many, and not for those of another', async () => {
    const [spool, other] = [new SpoolRig(rig), new SpoolRig(rig)];
    const { changer, jobs } = await openJobs(spool, 2);
    const gate = makeGate();
    const held = changer.exclusive(spool.organizationId, () => gate.passed);
    expect([await refusal(jobs, spool), await refusal(jobs, spool), await refusal(jobs, spool)]).toEqual([
      undefined,
      undefined,
      'service_busy',
    ]);
    expect(await refusal(jobs, other)).toBeUndefined();
    expect(await untilEnded(other)).toMatchObject([{ state: 'done' }]);
    expect((await jobsOf(spool)).map(({ state }) => state)).toEqual(['queued', 'queued']);
    gate.open();
    await held;
    const [second, first] = await untilEnded(spool);
    expect(second?.startedAt).toBeGreaterThanOrEqual(first?.endedAt ?? Number.NaN);
    expect(await refusal(jobs, spool)).toBeUndefined();
    await untilEnded(spool);
    await jobs.stop();
  });

  it('fails for good when its filter cannot be carried out, and says why', async () => {
    const spool = new SpoolRig(rig);
    const { jobs } = await openJobs(spool);
    await jobs.order(spool.principal, { ...order, filter: { nonsense: {} } });
    expect(await untilEnded(spool)).toMatchObject([{ state: 'failed', error: expect.stringContaining('nonsense') as string }]);
    await jobs.stop();
  });
});
