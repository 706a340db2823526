import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frameKinds } from '../model/record/exchange.ts';
import { systemClock } from '../platform/clock.ts';
import type { SpoolWriter } from '../spool/writer.ts';
import { type IngestRig, openRig, SpoolRig, until, written } from './testing/ingest-harness.ts';
import { chosenId, loggedCall, loggerTo, logOne } from './testing/logged-calls.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

describe('a logged call', () => {
  it('becomes a request with the times, the status and the bodies that its sender told', async () => {
    const spool = new SpoolRig(rig);
    const startedAt = systemClock.now() - 3_600_000;
    const call = loggedCall({ startedAt, elapsedMs: 1500, firstTokenMs: 300, status: 201 });
    const [outcome] = await loggerTo(spool.openWriter())(spool.principal, [call]);
    await spool.drainAll();
    const [row] = await spool.read<object>(
      'SELECT id_text, toUnixTimestamp64Milli(created_at) AS at, latency, time_to_first_token AS ttft, gateway_overhead, status, model, total_tokens FROM requests WHERE org_id = {tenant:UInt128}',
    );
    const told = { at: String(startedAt), latency: '1500', ttft: '300', gateway_overhead: null, status: 201, model: 'echo-1' };
    expect(row).toMatchObject({ id_text: outcome?.requestId });
    expect(JSON.parse(JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)))).toMatchObject(
      Object.fromEntries(Object.entries(told).map(([name, value]) => [name, expect.toSatisfy((got) => String(got) === String(value))])),
    );
  });

  it('without an identifier gets a fresh one each time', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const ids = [await logOne(spool, writer, undefined), await logOne(spool, writer, undefined)];
    await spool.drainAll();
    expect((await spool.storedIds()).requests).toEqual(ids.toSorted());
  });

  it('without a time has no latency', async () => {
    const spool = new SpoolRig(rig);
    await loggerTo(spool.openWriter())(spool.principal, [loggedCall({ elapsedMs: undefined })]);
    await spool.drainAll();
    expect(await spool.read('SELECT latency, response_created_at FROM requests WHERE org_id = {tenant:UInt128}')).toEqual([
      { latency: null, response_created_at: null },
    ]);
  });

  it('waits since it was logged, not since the call', async () => {
    const spool = new SpoolRig(rig);
    await logOne(spool, spool.openWriter(), undefined);
    const drain = await spool.openDrain();
    await drain.catchUp();
    expect(drain.oldestWaitingMs(systemClock.now())).toBeLessThan(30_000);
    await drain.stop(0);
  });
});

describe('a change of an identifier', () => {
  it('waits for a logged call that may be a repetition, and goes into the record that there is', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const id = await logOne(spool, writer, chosenId(), 201);
    await spool.drainAll();
    await logOne(spool, writer, id, 202);
    const { drain, changer } = await spool.openCore();
    await drain.catchUp();
    expect(drain.inFlight.find(spool.organizationId, id)).toBeDefined();
    const changed = changer.change(spool.principal, id, { kind: 'property', values: new Map([['Team', 'search']]) });
    drain.start();
    await changed;
    await drain.stop(10_000);
    expect((await spool.rows()).map(({ status, properties }) => [status, properties])).toEqual([[201, { Team: 'search' }]]);
  });

  it('waits for a logged call that is new', async () => {
    const spool = new SpoolRig(rig);
    const id = await logOne(spool, spool.openWriter(), chosenId());
    const { drain, changer } = await spool.openCore();
    const changed = changer.change(spool.principal, id, { kind: 'property', values: new Map([['Team', 'search']]) });
    drain.start();
    await changed;
    await drain.stop(10_000);
    expect((await spool.rows()).map(({ properties }) => properties)).toEqual([{ Team: 'search' }]);
  });

  it('is not lost with a repetition that is left out while the call itself is open', async () => {
    const spool = new SpoolRig(rig);
    const [gateway, logs] = [spool.openWriter(), spool.openWriter()];
    const stream = gateway.newStream();
    const id = spool.writeOpen(gateway, stream, { requestId: chosenId() });
    await written(gateway);
    const { drain, changer } = await spool.openCore();
    await changer.change(spool.principal, id, { kind: 'property', values: new Map([['Team', 'search']]) });
    await logOne(spool, logs, id, 201);
    const calls = await spool.write(logs);
    drain.start();
    await until(async () => (await spool.storedIds()).requests.includes(calls));
    spool.writeRest(gateway, stream, {});
    await written(gateway);
    await drain.stop(10_000);
    const rows = await spool.rows();
    expect(rows.find((row) => row.id === id)).toMatchObject({ status: 200, properties: { Team: 'search' } });
  });
});

describe('a logged call of which frames are missing is left out', () => {
  it('when its worker died in the midst of it', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const lastIsLost: SpoolWriter = {
      ...writer,
      newStream: () => writer.newStream(),
      append: (stream, kind, ...rest) => {
        if (kind !== frameKinds.answered) writer.append(stream, kind, ...rest);
      },
      whenWritten: (stream, settled) => writer.whenWritten(stream, settled),
    };
    await logOne(spool, lastIsLost, chosenId());
    await spool.killWriter(writer);
    await spool.drainAll();
    expect(await spool.storedIds()).toEqual({ requests: [], bodies: [] });
    expect(await spool.deadLetters()).toEqual([]);
    expect(spool.segments()).toEqual({});
  });

  it('when the disk did not take it, and the sender is told', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const failing: SpoolWriter = {
      ...writer,
      newStream: () => writer.newStream(),
      append: (stream, kind, ...rest) => {
        if (kind !== frameKinds.answered) writer.append(stream, kind, ...rest);
      },
      whenWritten: (stream, settled) => writer.whenWritten(stream, (isWritten) => settled(isWritten && stream > 1)),
    };
    await expect(logOne(spool, failing, chosenId())).rejects.toMatchObject({ code: 'spool_unavailable' });
    // Its end is written as soon as the disk takes it.
    const drain = await spool.openDrain();
    await until(async () => {
      await drain.catchUp();
      return drain.waitingCount() === 1;
    });
    drain.start();
    await drain.stop(10_000);
    expect(await spool.storedIds()).toEqual({ requests: [], bodies: [] });
    expect(await spool.deadLetters()).toEqual([]);
  });
});
