import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../ingest/testing/ingest-harness.ts';
import { findJob, listJobs } from '../../metadata/jobs.ts';
import { doneOf, type Job, targetValues } from '../../model/jobs/job.ts';
import { GatelogError } from '../../model/errors.ts';
import { type RequestId, uuidToNumber } from '../../model/ids.ts';
import { type ModelJob, replay } from '../testing/bulk-model.ts';
import { BulkCore, type BulkRig, newOrganization, newRequest, openBulkRig, principalOf } from '../testing/bulk-harness.ts';
import { byLength, testSeed } from '../../../test/support/test-length.ts';

let rig: BulkRig;
beforeAll(async () => {
  rig = await openBulkRig();
});
afterAll(() => rig.close());

const steps = array(
  record({
    kind: constantFrom('put', 'put', 'put', 'session', 'bulk', 'bulk', 'bulk', 'undo', 'undo', 'pause', 'kill', 'kill', 'flake', 'cancel'),
    which: nat(60),
  }),
  { minLength: 6, maxLength: 24 },
);

const names = ['Team', 'Draft', 'Svc-Session-Name'] as const;
const headers = ['x', 'y'] as const;
const noon = Date.parse('2026-01-15T12:00:00Z');

interface Member {
  readonly id: RequestId;
  readonly header: string;
  readonly sessionId: string;
  readonly first: ReadonlyMap<string, string>;
}

/** A change of one request or session that was sent; `value` is its own. */
interface Sent {
  readonly ids: readonly RequestId[];
  readonly name: string;
  readonly value: string;
  outcome: 'open' | 'made' | 'failed';
}

/** One random life of an organisation: bulk changes, undos and other changes meet, and cores are killed between them. */
class Life {
  readonly principal = principalOf(newOrganization());
  readonly members: readonly Member[];
  readonly sent: Sent[] = [];
  private readonly open = new Set<Promise<void>>();
  private core: BulkCore | undefined;
  private count = 0;

  constructor(size: number) {
    this.members = Array.from({ length: size }, (_, index) => ({
      id: newRequest(noon + index),
      header: headers[index % 2] ?? 'x',
      sessionId: index % 3 === 0 ? 's' : 't',
      first: new Map(index % 4 === 0 ? [] : [['Team', `first-${index % 3}`] as const]),
    }));
  }

  async start(): Promise<void> {
    await rig.insert(
      this.members.map(({ id, header, sessionId, first }, index) => ({
        organizationId: this.principal.organizationId,
        requestId: id,
        createdAt: noon + index,
        jobId: header,
        sessionId,
        properties: first,
      })),
    );
    await this.restart();
  }

  async step(kind: string, which: number): Promise<void> {
    if (kind === 'put') this.put(which);
    else if (kind === 'session') this.putSession(which);
    else if (kind === 'bulk') await this.bulk(which);
    else if (kind === 'undo' || kind === 'cancel') await this.withJob(which, kind);
    else if (kind === 'pause') await new Promise((resolve) => setTimeout(resolve, which));
    else if (kind === 'flake') this.core?.fail({ left: which % 12, when: which % 2 === 0 ? 'before' : 'after', isOnce: true });
    else await this.killAfter(which);
  }

  async finish(): Promise<readonly Job[]> {
    await until(async () => (await this.jobs()).every(({ endedAt }) => endedAt !== null));
    await this.core?.kill();
    await this.settle();
    return (await this.jobs()).toReversed();
  }

  jobs(): Promise<readonly Job[]> {
    return listJobs(rig.database, this.principal.organizationId, { limit: 1000, offset: 0 });
  }

  private put(which: number): void {
    const member = this.members[which % this.members.length];
    const name = names[which % names.length] ?? 'Team';
    if (member === undefined || this.core === undefined) return;
    const { sent, values } = this.fresh([member.id], name);
    this.track(sent, this.core.changer.change(this.principal, member.id, { kind: 'property', values }));
  }

  private putSession(which: number): void {
    const sessionId = which % 2 === 0 ? 's' : 't';
    const name = names[which % names.length] ?? 'Team';
    const ids = this.members.filter((member) => member.sessionId === sessionId).map(({ id }) => id);
    if (this.core === undefined || ids.length === 0) return;
    const { sent, values } = this.fresh(ids, name);
    this.track(sent, this.core.sessions.setProperties(this.principal, sessionId, values));
  }

  private async bulk(which: number): Promise<void> {
    const [name = 'Team', other = 'Draft'] = [names[which % names.length], names[(which + 1) % names.length]];
    const header = headers[which % 5];
    const filter = header === undefined ? 'all' : { request_response_rmt: { job_id: { equals: header } } };
    const set = new Map([[name, which % 4 === 0 ? 'first-1' : `bulk-${which}`]]);
    await this.core?.jobs.order(this.principal, { kind: 'property', filter, properties: { set, remove: which % 3 === 0 ? [other] : [] } });
  }

  private async withJob(which: number, kind: 'undo' | 'cancel'): Promise<void> {
    const jobs = await this.jobs();
    const job = jobs[which % Math.max(1, jobs.length)];
    if (job === undefined || this.core === undefined) return;
    if (kind === 'cancel') await this.core.jobs.cancel(this.principal.organizationId, job.id);
    else {
      await this.core.jobs.undo(this.principal, job.id).catch((error: unknown) => {
        if (!(error instanceof GatelogError && error.code === 'invalid_parameter')) throw error;
      });
    }
  }

  private async killAfter(which: number): Promise<void> {
    this.core?.fail({ left: which % 25, when: which % 3 === 0 ? 'before' : 'after', isOnce: false });
    await new Promise((resolve) => setTimeout(resolve, which));
    await this.core?.kill();
    await this.restart();
  }

  /** What a killed core left unclear is looked up before the next one begins. */
  private async restart(): Promise<void> {
    await this.settle();
    this.core = await BulkCore.start(rig, { requests: 3, bytes: 1e6 });
    await this.core.jobs.resume();
  }

  /** A failed change may have been made all the same. */
  private async settle(): Promise<void> {
    await Promise.all(this.open);
    const rows = await rowsOf(this);
    const ofSessions = await rig.query<{ readonly value: string }>(
      `SELECT JSONExtractString(new) AS value FROM session_changes WHERE ${tenantOf(this)}
       AND number IN (SELECT arrayJoin(session_changes) FROM requests WHERE ${tenantOf(this)})`,
    );
    const made = new Set(ofSessions.map(({ value }) => value));
    for (const sent of this.sent.filter(({ outcome }) => outcome === 'failed')) {
      if (made.has(sent.value) || sent.ids.some((id) => rows.get(id)?.[sent.name] === sent.value)) sent.outcome = 'made';
    }
  }

  private fresh(ids: readonly RequestId[], name: string): { readonly sent: Sent; readonly values: ReadonlyMap<string, string> } {
    this.count += 1;
    const sent: Sent = { ids, name, value: `put-${this.count}`, outcome: 'open' };
    this.sent.push(sent);
    return { sent, values: new Map([[name, sent.value]]) };
  }

  private track(sent: Sent, change: Promise<void>): void {
    const settled = change.then(
      () => {
        sent.outcome = 'made';
      },
      () => {
        sent.outcome = 'failed';
      },
    );
    this.open.add(settled);
    void settled.then(() => this.open.delete(settled));
  }
}

type Properties = Readonly<Record<string, string>>;
const tenantOf = ({ principal }: Life): string => `org_id = toUInt128('${uuidToNumber(principal.organizationId)}')`;

async function rowsOf(life: Life): Promise<ReadonlyMap<string, Properties>> {
  const rows = await rig.query<{ readonly id: string; readonly properties: Properties }>(
    `SELECT id_text AS id, properties FROM requests WHERE ${tenantOf(life)}`,
  );
  return new Map(rows.map(({ id, properties }) => [id, properties]));
}

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly number: string;
  readonly new: string;
}

/** Entries of the history; those of a session have no request. */
async function entriesOf(life: Life): Promise<readonly Entry[]> {
  const id = 'UUIDNumToString(reverse(reinterpretAsFixedString(request_id)))';
  return rig.query<Entry>(
    `SELECT ${id} AS id, name, toString(number) AS number, new FROM changes WHERE ${tenantOf(life)}
     UNION ALL SELECT '' AS id, name, toString(number) AS number, new FROM session_changes WHERE ${tenantOf(life)}`,
  );
}

/** What the model says. */
function expectedOf(life: Life, jobs: readonly Job[], entries: readonly Entry[]): Readonly<Record<string, Properties>> {
  const made = life.sent.filter(({ outcome }) => outcome === 'made');
  const changes = made.map(({ ids, name, value }) => {
    const entry = entries.find((candidate) => candidate.new === JSON.stringify(value));
    if (entry === undefined) throw new Error(`${value} has no history`);
    return { ids, name, value, number: Number(entry.number) };
  });
  const header = new Map<string, string>(life.members.map((member) => [member.id, member.header]));
  const modelJobs = jobs.flatMap(({ id, number, order }): ModelJob[] => {
    if (number === null) return [];
    if (order.kind === 'undo') return [{ id, number, work: { undoes: order.undoes } }];
    const filter = JSON.stringify(order.filter);
    const covers = (request: string): boolean => filter === '"all"' || filter.includes(`"${header.get(request)}"`);
    return [{ id, number, work: { covers, targets: targetValues(order.properties) } }];
  });
  return Object.fromEntries(replay(life.members, changes, modelJobs));
}

const seed = testSeed();

test(`requests end as if every job had been made at once, whatever was changed meanwhile and wherever cores were killed (seed ${seed})`, async () => {
  const property = asyncProperty(nat(14), steps, async (size, sequence) => {
    const life = new Life(size + 1);
    await life.start();
    for (const { kind, which } of sequence.filter(({ kind: name }) => name !== 'cancel')) await life.step(kind, which);
    const jobs = await life.finish();
    const entries = await entriesOf(life);
    const rows = await rowsOf(life);
    expect(Object.fromEntries(rows)).toEqual(expectedOf(life, jobs, entries));
    for (const { number, state, total, outcomes } of jobs) {
      const own = entries.filter((entry) => Number(entry.number) === number).map(({ id, name }) => `${id} ${name}`);
      expect(new Set(own).size).toBe(own.length);
      expect({ state, done: doneOf(outcomes) }).toEqual({ state: 'done', done: total });
      const entered = new Set(own.map((key) => key.split(' ')[0])).size;
      expect(entered).toBeGreaterThanOrEqual(outcomes.changed);
      expect(entered).toBeLessThanOrEqual(outcomes.changed + outcomes.changed_since);
    }
    expect(await rig.query('SELECT job FROM job_requests')).toEqual([]);
  });
  // A failure prints its seed and path.
  await assert(property, { numRuns: byLength(3, 12), seed, endOnFailure: true });
});

test('a cancelled job ends soon, keeps what it has changed, and its undo restores exactly that', async () => {
  const life = new Life(30);
  await life.start();
  const before = await rowsOf(life);
  await life.step('bulk', 4);
  await until(async () => ((await life.jobs())[0]?.outcomes.changed ?? 0) > 0);
  await life.step('cancel', 0);
  const [cancelled] = await life.jobs();
  expect(cancelled).toMatchObject({ state: 'cancelled' });
  await life.step('undo', 0);
  await until(async () => (await life.jobs()).every(({ endedAt }) => endedAt !== null));
  const id = (await life.jobs())[0]?.id;
  expect(id === undefined ? undefined : await findJob(rig.database, life.principal.organizationId, id)).toMatchObject({
    state: 'done',
    total: cancelled?.outcomes.changed,
    outcomes: { changed: cancelled?.outcomes.changed },
  });
  expect(await rowsOf(life)).toEqual(before);
  await life.finish();
});
