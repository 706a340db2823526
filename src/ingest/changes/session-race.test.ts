import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatelogError } from '../../model/errors.ts';
import type { RequestId } from '../../model/ids.ts';
import type { SpoolWriter } from '../../spool/writer.ts';
import type { InsertRows } from '../../store/insert/insert.ts';
import { type CoreRig, type IngestRig, openRig, SpoolRig, written } from '../testing/ingest-harness.ts';
import { byLength } from '../../../test/support/test-length.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

/** What may happen next. `pause` lets other work run for so many turns of the event loop. */
const steps = array(
  record({
    kind: constantFrom('open', 'open', 'end', 'put', 'put', 'session', 'session', 'pause', 'restart', 'away', 'back'),
    which: nat(50),
  }),
  { minLength: 8, maxLength: 40 },
);

const sessionIds = ['s', 't'] as const;

interface Member {
  readonly id: RequestId;
  readonly stream: number;
  readonly sessionId: string;
  ended: boolean;
}

/** Set by every change, so that changes of one name meet. */
const shared = 'Shared';

/** One random life of a spool: requests of two sessions come and end while single ones and whole sessions are changed. */
class Life {
  readonly spool = new SpoolRig(rig);
  readonly expected = new Map<RequestId, Set<string>>();
  private readonly writer: SpoolWriter = this.spool.openWriter(4096);
  private readonly members: Member[] = [];
  private readonly changes: Promise<void>[] = [];
  private storeIsAway = false;
  private core: CoreRig | undefined;
  private count = 0;

  async step(kind: string, which: number): Promise<void> {
    const member = this.members[which % Math.max(1, this.members.length)];
    if (kind === 'open') await this.open(sessionIds[which % 2] ?? 's');
    else if (kind === 'end') await this.end(member);
    else if (kind === 'put' && member !== undefined) this.put(member);
    else if (kind === 'session') this.putSession(sessionIds[which % 2] ?? 's');
    else if (kind === 'restart') await this.restart();
    else if (kind === 'pause') for (let turn = 0; turn < which; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    else if (kind === 'away' || kind === 'back') this.storeIsAway = kind === 'away';
  }

  async finish(): Promise<void> {
    this.storeIsAway = false;
    for (const member of this.members) await this.end(member);
    await Promise.all(this.changes);
    await this.core?.drain.stop(10_000);
    await this.spool.killWriter(this.writer);
  }

  private async open(sessionId: string): Promise<void> {
    const stream = this.writer.newStream();
    const id = this.spool.writeOpen(this.writer, stream, { tags: { properties: [], sessionId } });
    await written(this.writer);
    this.members.push({ id, stream, sessionId, ended: false });
    this.expected.set(id, new Set());
  }

  private async end(member: Member | undefined): Promise<void> {
    if (member === undefined || member.ended) return;
    member.ended = true;
    this.spool.writeRest(this.writer, member.stream, {});
    await written(this.writer);
  }

  private put({ id }: Member): void {
    const { core } = this;
    const { name, values } = this.fresh();
    if (core !== undefined) this.acknowledge(core.changer.change(this.spool.principal, id, { kind: 'property', values }), [id], name);
  }

  private putSession(sessionId: string): void {
    const { core } = this;
    const { name, values } = this.fresh();
    const ids = this.members.filter((member) => member.sessionId === sessionId).map(({ id }) => id);
    if (core !== undefined && ids.length > 0) {
      this.acknowledge(core.sessions.setProperties(this.spool.principal, sessionId, values), ids, name);
    }
  }

  private fresh(): { name: string; values: ReadonlyMap<string, string> } {
    this.count += 1;
    const name = `name-${this.count}`;
    return {
      name,
      values: new Map([
        [name, name],
        [shared, name],
      ]),
    };
  }

  private acknowledge(change: Promise<void>, ids: readonly RequestId[], name: string): void {
    const settled = change.then(
      () => {
        for (const id of ids) this.expected.get(id)?.add(name);
      },
      (error: unknown) => {
        if (!(error instanceof GatelogError && error.code === 'store_unavailable')) throw error;
      },
    );
    this.changes.push(settled);
  }

  /** The old ingest has answered before the new one begins: two that run at once is what the locks prevent. */
  private async restart(): Promise<void> {
    await Promise.all(this.changes);
    await this.core?.drain.stop(0);
    const insert: InsertRows = async (table, rows, token) => {
      if (this.storeIsAway) throw new GatelogError('store_unavailable', 'away');
      await rig.store.insert(table, rows, token);
    };
    this.core = await this.spool.openCore({ insert, limits: { maxRows: 3, maxBytes: 1e6 } });
    Object.assign((this.core.changer as unknown as { ports: object }).ports, { storeWaitMs: 200 });
    this.core.drain.start();
  }
}

/** Of each request the value that its history says was accepted last under the shared name. */
async function latestShared(spool: SpoolRig): Promise<ReadonlyMap<string, string>> {
  const own = `SELECT request_id, number, new FROM changes WHERE org_id = {tenant:UInt128} AND name = '${shared}'`;
  const reached = `SELECT request_id, arrayJoin(session_changes) AS number FROM requests WHERE org_id = {tenant:UInt128}`;
  const ofSession = `SELECT number, new FROM session_changes WHERE org_id = {tenant:UInt128} AND name = '${shared}'`;
  const rows = await spool.read<{ id: string; latest: string }>(
    `SELECT UUIDNumToString(reverse(reinterpretAsFixedString(request_id))) AS id, JSONExtract(argMax(new, number), 'String') AS latest
     FROM (${own} UNION ALL SELECT request_id, number, new FROM (${reached}) AS r INNER JOIN (${ofSession}) AS s USING (number)) GROUP BY request_id`,
  );
  return new Map(rows.map(({ id, latest }) => [id, latest]));
}

test('every acknowledged change of a session or of one request is there in the end, and of one name the last accepted', async () => {
  const property = asyncProperty(steps, async (sequence) => {
    const life = new Life();
    await life.step('restart', 0);
    for (const { kind, which } of sequence) await life.step(kind, which);
    await life.finish();
    const rows = await life.spool.rows();
    expect(rows).toHaveLength(life.expected.size);
    const latest = await latestShared(life.spool);
    for (const { id, properties } of rows) {
      expect(Object.keys(properties)).toEqual(expect.arrayContaining([...(life.expected.get(id as RequestId) ?? [])]));
      expect(properties[shared]).toBe(latest.get(id));
    }
  });
  // A failure prints its seed and path.
  await assert(property, { numRuns: byLength(8, 20), seed: 20_260_801, endOnFailure: true });
});
