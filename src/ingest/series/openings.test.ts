import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RedactionRules } from '../../metadata/organization/redaction-rules.ts';
import { frameKinds, type Tags } from '../../model/record/exchange.ts';
import { systemClock } from '../../platform/clock.ts';
import { maxPayloadBytes } from '../../spool/frame.ts';
import { chatResponse, type IngestRig, interpretDirectly, newId, openRig, SpoolRig, written } from '../testing/ingest-harness.ts';

let rig: IngestRig;
let spool: SpoolRig;

beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

beforeEach(async () => {
  spool = new SpoolRig(rig);
  await rig.database.queries
    .insertInto('organizations')
    .values({ id: spool.organizationId, name: spool.organizationId, created_at: 0 })
    .execute();
  const email = { kind: 'email', pattern: null, replacement: '[email]', appliesTo: ['request', 'response', 'properties'] } as const;
  await new RedactionRules(rig.database, systemClock).replace(spool.organizationId, [email]);
});

const secret = 'ann.lee@example.com';
const request = JSON.stringify({ model: 'echo-1', messages: [{ role: 'user', content: secret }] });
const response = chatResponse.replace('Hello.', secret);

/** Tags whose JSON has many times the bytes of one frame. */
const longTags: Tags = { properties: [], userId: '"'.repeat(3 * maxPayloadBytes) };

/** Rows of both tables, as text. */
async function stored(): Promise<string> {
  const rows = await spool.read('SELECT * FROM requests WHERE org_id = {tenant:UInt128}');
  return JSON.stringify([rows, await spool.read('SELECT * FROM bodies WHERE org_id = {tenant:UInt128}')]);
}

describe('an opening that is longer than a frame', () => {
  it('has its owner: the rules of the organisation hold for its record', async () => {
    const writer = spool.openWriter();
    const id = await spool.write(writer, { open: { tags: longTags }, request, response });
    await spool.drainAll();
    expect(await spool.storedIds()).toEqual({ requests: [id], bodies: [id] });
    expect(await stored()).toContain('[email]');
    expect(await stored()).not.toContain(secret);
  });

  it('is known by its identifier and its user as soon as it is here', async () => {
    const writer = spool.openWriter();
    const ids = [longTags, { properties: [] }].map((tags) => spool.writeOpen(writer, writer.newStream(), { tags }));
    await written(writer);
    const drain = await spool.openDrain();
    await drain.catchUp();
    const users = ids.map((id) => drain.inFlight.find(spool.organizationId, id)?.userId.length);
    expect([users, drain.inFlight.size]).toEqual([[longTags.userId?.length, 0], 2]);
    await drain.stop(1000);
  });

  it.each([-1, 0, 1])('of %d bytes more than two frames is stored with its body behind it', async (more) => {
    const writer = spool.openWriter();
    const stream = writer.newStream();
    const bare = JSON.stringify(openOf({ properties: [], userId: '' }));
    const userId = 'x'.repeat(2 * maxPayloadBytes + more - bare.length - 1);
    const open = bare.replace('"userId":""', `"userId":"${userId}"`);
    writer.append(stream, frameKinds.opened, { text: `${open}\n`, bytes: new Uint8Array() });
    spool.writeRest(writer, stream, { request: '', response });
    await written(writer);
    await spool.drainAll();
    expect((await spool.storedIds()).requests).toEqual([(JSON.parse(open) as { requestId: string }).requestId]);
  });

  it('whose worker died in the middle of it is a dead letter and no record', async () => {
    const writer = spool.openWriter();
    const stream = writer.newStream();
    writer.append(stream, frameKinds.open, Buffer.from(JSON.stringify(openOf(longTags))).subarray(0, maxPayloadBytes));
    spool.writeRest(writer, stream, { request, response, end: null });
    await written(writer);
    await spool.killWriter(writer);
    const drain = await spool.openDrain();
    drain.start();
    await drain.stop(10_000);
    expect([await spool.storedIds(), await spool.deadLetters()]).toMatchObject([{ requests: [], bodies: [] }, [{}]]);
  });
});

it('an exchange is stored whole whose answer is longer than a frame', async () => {
  const writer = spool.openWriter();
  const stream = writer.newStream();
  const id = spool.writeOpen(writer, stream);
  const head = {
    status: 200,
    headers: { 'openai-version': '"'.repeat(maxPayloadBytes), 'content-type': 'application/json' },
    elapsedMs: 5,
  };
  const end = { outcome: 'complete', elapsedMs: 9, firstByteMs: 6, overheadMs: 0.5, requestBytes: 0, responseBytes: response.length };
  writer.append(stream, frameKinds.answered, { text: `${JSON.stringify({ head, end })}\n`, bytes: Buffer.from(response) });
  await written(writer);
  await spool.drainAll();
  expect([await spool.rows(), await spool.deadLetters()]).toMatchObject([[{ id, status: 200 }], []]);
  expect(await stored()).toContain('[email]');
});

it('what is read for one organisation and turns out to be of another is no record', async () => {
  const writer = spool.openWriter();
  await spool.write(writer, { request, response });
  const drain = await spool.openDrain();
  await drain.catchUp();
  const frames = drain.inFlight.all().flatMap((exchange) => exchange.frames);
  const settings = {
    seriesFolder: `${spool.folder}/${writer.series}`,
    organizationId: newId(),
    declaredNames: undefined,
    redactionRules: undefined,
    organizationPrices: [],
  };
  expect(await interpretDirectly([{ settings, frames, changes: [] }], 0)).toEqual([
    { failure: expect.stringContaining('organisation') as string },
  ]);
  await drain.stop(1000);
});

function openOf(tags: Tags): object {
  const openedAt = systemClock.now();
  return {
    version: 1,
    requestId: newId(openedAt),
    organizationId: spool.organizationId,
    keyHash: 'a'.repeat(64),
    openedAt,
    method: 'POST',
    path: '/v1/chat/completions',
    provider: 'echo',
    targetUrl: '',
    headers: { 'content-type': 'application/json' },
    tags,
  };
}
