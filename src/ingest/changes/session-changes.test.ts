import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestId } from '../../model/ids.ts';
import type { SpoolWriter } from '../../spool/writer.ts';
import type { InsertRows } from '../../store/insert/insert.ts';
import { type CoreRig, type IngestRig, makeGate, openRig, SpoolRig, until, written } from '../testing/ingest-harness.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

const values = (object: Record<string, string>): ReadonlyMap<string, string> => new Map(Object.entries(object));

/** An exchange that a test ends when it likes. */
interface Opened {
  readonly id: RequestId;
  readonly end: () => Promise<void>;
}

async function open(spool: SpoolRig, writer: SpoolWriter, sessionId: string): Promise<Opened> {
  const stream = writer.newStream();
  const id = spool.writeOpen(writer, stream, { tags: { properties: [], sessionId } });
  await written(writer);
  return {
    id,
    end: async () => {
      spool.writeRest(writer, stream, {});
      await written(writer);
    },
  };
}

async function propertiesOf(spool: SpoolRig, id: RequestId): Promise<Readonly<Record<string, string>> | undefined> {
  return (await spool.rows()).find((row) => row.id === id)?.properties;
}

async function put(spool: SpoolRig, { changer }: CoreRig, id: RequestId, object: Record<string, string>): Promise<void> {
  await changer.change(spool.principal, id, { kind: 'property', values: values(object) });
}

async function historyLines(spool: SpoolRig): Promise<{ own: number; ofSession: number }> {
  const count = async (table: string): Promise<number> => {
    const [row] = await spool.read<{ n: number }>(`SELECT count() AS n FROM ${table} WHERE org_id = {tenant:UInt128}`);
    return Number(row?.n);
  };
  return { own: await count('changes'), ofSession: await count('session_changes') };
}

describe('properties of a session', () => {
  test('are set on its stored requests, on those on their way, and on no other, with one history entry', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const stored = await open(spool, writer, 's');
    await stored.end();
    await spool.drainAll();
    const [inFlight, other] = [await open(spool, writer, 's'), await open(spool, writer, 't')];
    const core = await spool.openCore();
    await core.sessions.setProperties(spool.principal, 's', values({ Team: 'a' }));
    expect(await propertiesOf(spool, stored.id)).toMatchObject({ Team: 'a' });
    const later = await open(spool, writer, 's');
    for (const { end } of [inFlight, other, later]) await end();
    core.drain.start();
    await core.drain.stop(10_000);
    expect(await propertiesOf(spool, inFlight.id)).toMatchObject({ Team: 'a' });
    for (const { id } of [other, later]) expect(await propertiesOf(spool, id)).not.toHaveProperty('Team');
    expect(await historyLines(spool)).toEqual({ own: 0, ofSession: 1 });
    const rows = await spool.read<{ id: string; n: number }>(
      'SELECT id_text AS id, length(session_changes) AS n FROM requests WHERE org_id = {tenant:UInt128}',
    );
    expect(new Map(rows.map(({ id, n }) => [id, n]))).toEqual(
      new Map([
        [stored.id, 1],
        [inFlight.id, 1],
        [other.id, 0],
        [later.id, 0],
      ]),
    );
  });

  test('of requests on their way survive the death of the ingest', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const inFlight = await open(spool, writer, 's');
    const { sessions } = await spool.openCore();
    await sessions.setProperties(spool.principal, 's', values({ Team: 'a' }));
    await inFlight.end();
    await spool.drainAll();
    expect(await propertiesOf(spool, inFlight.id)).toMatchObject({ Team: 'a' });
  });

  test('wait for a request that is just being stored', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const frozen = await open(spool, writer, 's');
    await frozen.end();
    const gate = makeGate();
    let inserting = false;
    const insert: InsertRows = async (table, rows, token) => {
      inserting = true;
      await gate.passed;
      await rig.store.insert(table, rows, token);
    };
    const { drain, sessions } = await spool.openCore({ insert });
    drain.start();
    await until(() => inserting);
    const changed = sessions.setProperties(spool.principal, 's', values({ Team: 'a' }));
    gate.open();
    await changed;
    expect(await propertiesOf(spool, frozen.id)).toMatchObject({ Team: 'a' });
    await drain.stop(10_000);
  });

  test('reach a request on its way that a change has moved into the session, also after a restart, and none that was moved out', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const [moved, left] = [await open(spool, writer, 'elsewhere'), await open(spool, writer, 's')];
    const before = await spool.openCore();
    await put(spool, before, moved.id, { 'Svc-Session-Id': 's' });
    await put(spool, before, left.id, { 'Svc-Session-Id': 'elsewhere' });
    const { drain, sessions } = await spool.openCore();
    await sessions.setProperties(spool.principal, 's', values({ Team: 'a' }));
    for (const { end } of [moved, left]) await end();
    drain.start();
    await drain.stop(10_000);
    expect(await propertiesOf(spool, moved.id)).toMatchObject({ Team: 'a' });
    expect(await propertiesOf(spool, left.id)).not.toHaveProperty('Team');
  });

  test('and those of single requests of the same name: the later wins, stored or on its way', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const [stored, inFlight] = [await open(spool, writer, 's'), await open(spool, writer, 's')];
    await stored.end();
    const core = await spool.openCore();
    core.drain.start();
    await until(async () => (await propertiesOf(spool, stored.id)) !== undefined);
    for (const { id } of [stored, inFlight]) await put(spool, core, id, { Team: 'first', Later: 'first' });
    await core.sessions.setProperties(spool.principal, 's', values({ Team: 'second', Later: 'second' }));
    for (const { id } of [stored, inFlight]) await put(spool, core, id, { Later: 'third' });
    await inFlight.end();
    await core.drain.stop(10_000);
    for (const { id } of [stored, inFlight]) expect(await propertiesOf(spool, id)).toMatchObject({ Team: 'second', Later: 'third' });
  });

  test('of a session that nobody has is not found, and leaves no history', async () => {
    const spool = new SpoolRig(rig);
    const { sessions } = await spool.openCore();
    for (const sessionId of ['nowhere', '']) {
      await expect(sessions.setProperties(spool.principal, sessionId, values({ Team: 'a' }))).rejects.toMatchObject({ code: 'not_found' });
      await expect(sessions.rate(spool.principal, sessionId, true)).rejects.toMatchObject({ code: 'not_found' });
      await expect(sessions.tag(spool.principal, sessionId, 'x')).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await historyLines(spool)).toEqual({ own: 0, ofSession: 0 });
  });
});

const hourAgo = (): number => Date.now() - 3_600_000;

describe('after a restart with a clock that went back an hour', () => {
  test('a tag replaces the one that was there, and is taken away', async () => {
    const spool = new SpoolRig(rig);
    await (await open(spool, spool.openWriter(), 's')).end();
    await spool.drainAll();
    const tagOf = async (): Promise<string | undefined> => {
      const rows = await spool.read<{ tag: string }>('SELECT argMax(tag, number) AS tag FROM session_tags WHERE org_id = {tenant:UInt128}');
      return rows[0]?.tag;
    };
    await (await spool.openCore()).sessions.tag(spool.principal, 's', 'before');
    const { sessions } = await spool.openCore({}, hourAgo);
    await sessions.tag(spool.principal, 's', 'after');
    expect(await tagOf()).toBe('after');
    await sessions.tag(spool.principal, 's', '');
    expect(await tagOf()).toBe('');
  });

  test('the number of a change is above that of a stored one, of one of a session, and of one that waits', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const [stored, inFlight] = [await open(spool, writer, 's'), await open(spool, writer, 't')];
    await stored.end();
    await spool.drainAll();
    const steps: readonly ((core: CoreRig) => Promise<void>)[] = [
      (core) => put(spool, core, stored.id, { Team: 'a' }),
      ({ sessions }) => sessions.setProperties(spool.principal, 's', values({ Team: 'b' })),
      (core) => put(spool, core, inFlight.id, { Team: 'c' }),
    ];
    for (const step of steps) {
      const before = await spool.openCore();
      const least = Date.now() * 1000;
      await step(before);
      const after = await spool.openCore({}, hourAgo);
      expect(after.changer.stamp().number).toBeGreaterThan(least);
    }
  });
});

test('a tag is taken of a session whose first request gets into the store between the two looks', async () => {
  const spool = new SpoolRig(rig);
  await (await open(spool, spool.openWriter(), 's')).end();
  const { drain, sessions } = await spool.openCore();
  const storeAll = async (): Promise<void> => {
    drain.start();
    await drain.stop(10_000);
  };
  Object.assign((sessions as unknown as { ports: object }).ports, { catchUp: storeAll });
  await sessions.tag(spool.principal, 's', 'reviewed');
  const tags = await spool.read<{ tag: string }>('SELECT tag FROM session_tags WHERE org_id = {tenant:UInt128}');
  expect(tags.map(({ tag }) => tag)).toEqual(['reviewed']);
});

test('the feedback on a session is at its oldest request, stored or on its way', async () => {
  const spool = new SpoolRig(rig);
  const writer = spool.openWriter();
  const older = await open(spool, writer, 's');
  const newer = await open(spool, writer, 's');
  await newer.end();
  await spool.drainAll();
  const { drain, sessions } = await spool.openCore();
  await sessions.rate(spool.principal, 's', false);
  await older.end();
  drain.start();
  await drain.stop(10_000);
  expect(await propertiesOf(spool, older.id)).toMatchObject({ 'Svc-Session-Feedback': '0' });
  expect(await propertiesOf(spool, newer.id)).not.toHaveProperty('Svc-Session-Feedback');
});
