import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hashKey } from '../../auth/api-key.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Principal } from '../../model/principal.ts';
import { maxCallsOfConnection } from './concurrency.ts';
import { openAiAt, principal, type Rig, type RigOptions, startRig } from '../testing/gateway-harness.ts';
import { makeUpstream } from '../upstream/upstream.ts';
import { call, openClient, parseResponse, type RawClient, requestText, startProvider, until } from '../testing/raw-http.ts';

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

const held = requestText('GET /v1/held');
const plain = requestText('GET /v1/plain');
/** Needs no connection to a provider. */
const echoed = requestText('POST /echo/v1/chat/completions', [], '{"messages":[{"role":"user","content":"hi"}]}');

/** A gateway whose provider answers plain calls, and the held ones when it is told to. */
interface Scene {
  readonly rig: Rig;
  /** Codes of the refusals so far. */
  readonly refused: () => readonly string[];
  /** The held calls that are at the provider. */
  readonly waiting: readonly ServerResponse[];
  /** Answers the held calls, also those that come later. */
  readonly release: () => void;
}

async function scene(options: RigOptions = {}): Promise<Scene> {
  const waiting: ServerResponse[] = [];
  let isReleased = false;
  const provider = await startProvider((request, response) => {
    if (isReleased || request.url === '/v1/plain') response.end('done');
    else waiting.push(response);
  });
  const rig = await startRig({ providers: openAiAt(provider.port), ports: { upstream: patient() }, ...options });
  opened.push(rig, provider);
  const refusals = vi.spyOn(rig.ports.meter, 'refused');
  const release = (): void => {
    isReleased = true;
    for (const response of waiting) response.end('done');
  };
  return { rig, refused: () => refusals.mock.calls.map(([code]) => code), waiting, release };
}

/** Connections on which a held call may stay for as long as the test takes. */
function patient(): ReturnType<typeof makeUpstream> {
  return makeUpstream({
    connectTimeoutMs: 60_000,
    headersTimeoutMs: 600_000,
    bodyTimeoutMs: 600_000,
    connections: 16,
    organizationSharePercent: 100,
    shareWaitMs: 60_000,
    idleTimeoutMs: 60_000,
    headerMaxBytes: 65_536,
    monotonic: () => performance.now(),
  });
}

async function connected(rig: Rig, request: string): Promise<RawClient> {
  const client = await openClient(rig.port);
  opened.push({ close: () => client.socket.destroy() });
  client.send(request);
  return client;
}

const statuses = (client: RawClient): readonly string[] =>
  [...client.text().matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status ?? '');

describe('calls of one gateway worker', () => {
  it('beyond the limit a call is answered 503 and leaves no record; its connection is kept, and once others have ended there is room', async () => {
    const { rig, waiting } = await scene({ maxCalls: 2 });
    await Promise.all([connected(rig, held), connected(rig, held)]);
    await until(() => waiting.length === 2);

    const further = await connected(rig, plain);
    await until(() => parseResponse(further.received())?.isComplete === true);
    const refusal = parseResponse(further.received());
    expect([refusal?.status, refusal?.header('retry-after'), refusal?.header('server-timing'), refusal?.header('svc-id')]).toEqual([
      503,
      '2',
      'gatelog;dur=0.000',
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
    expect(JSON.parse(String(refusal?.body))).toMatchObject({
      error: { code: 'too_many_calls', message: expect.stringContaining('GATELOG_CALLS_IN_FLIGHT') as string },
    });
    expect((await call(rig.port, requestText('GET /healthz'))).status).toBe(200);

    waiting[0]?.end('done');
    await vi.waitFor(async () => expect((await call(rig.port, plain)).status).toBe(200));
    further.send(plain);
    await until(() => statuses(further).length === 2);
    expect(statuses(further)).toEqual(['503', '200']);
    expect((await rig.exchanges(3)).map(({ open }) => open.path)).toEqual(['/v1/held', '/v1/held', '/v1/plain', '/v1/plain']);
  });

  it('those of a connection that was closed do not count any more', async () => {
    const { rig, waiting, refused } = await scene({ maxCalls: 3 });
    const client = await connected(rig, held.repeat(3));
    await until(() => waiting.length === 3);
    expect((await call(rig.port, plain)).status).toBe(503);
    client.socket.destroy();
    // Were one of them still counted, three more would be too many.
    await rig.exchanges(3);
    await Promise.all([connected(rig, held), connected(rig, held), connected(rig, held)]);
    await until(() => waiting.length === 6);
    expect(refused()).toEqual(['too_many_calls']);
  });

  it('those that were answered do not count any more, whatever became of them', async () => {
    const { rig } = await scene({ maxCalls: 2 });
    const requests = [plain, requestText('GET /nowhere'), requestText('GET /v1/plain', ['Svc-Auth: Bearer sk-svc-us-unknown'])];
    const client = await connected(rig, '');
    for (const [index, request] of [...requests, ...requests, ...requests].entries()) {
      client.send(request);
      await until(() => statuses(client).length > index);
    }
    expect(statuses(client)).toEqual(['200', '404', '401', '200', '404', '401', '200', '404', '401']);
  });
});

describe('calls of one connection', () => {
  it('beyond 1,000 a call of one connection is answered 503, behind the others, and what it still sends is not read without end', async () => {
    const { rig, refused, release } = await scene();
    const client = await connected(rig, held.repeat(maxCallsOfConnection));
    const { upstream } = rig.ports;
    await until(() => upstream.counts().busy + upstream.counts().waiting === maxCallsOfConnection);
    expect(refused()).toEqual([]);

    const further = 5000;
    client.send(held.repeat(further));
    await until(() => refused().length > 0);
    for (let turn = 0; turn < 30; turn += 1) expect((await call(rig.port, echoed)).status).toBe(200);
    expect(refused().length).toBeLessThan(further / 2);

    release();
    await until(() => statuses(client).length > maxCallsOfConnection);
    const found = statuses(client);
    expect(found.slice(0, maxCallsOfConnection).every((status) => status === '200')).toBe(true);
    expect([found[maxCallsOfConnection], new Set(refused())]).toEqual(['503', new Set(['too_many_calls'])]);
    expect(client.text()).toContain('This connection has 1000 calls without an answer');
    // What waited unread is answered too.
    await until(() => statuses(client).length === maxCallsOfConnection + further);
  });
});

describe('calls of one organisation', () => {
  const otherKey = 'sk-svc-us-9876543210abcdefghij';
  const ofOther = requestText('GET /v1/held', [`Svc-Auth: Bearer ${otherKey}`, 'Authorization: Bearer provider-key']);
  const other: Principal = {
    ...principal,
    organizationId: '01890000-0000-7000-8000-000000000002' as OrganizationId,
    keyHash: hashKey(otherKey),
  };

  const verifyKey = (keyHash: string): Principal => (keyHash === other.keyHash ? other : principal);

  async function shared(maxCalls: number): Promise<Scene> {
    return scene({ maxCalls, organizationSharePercent: 75, ports: { upstream: patient(), verifyKey } });
  }

  it('beyond its share of those that others leave are answered 503 and leave no record; others still have theirs', async () => {
    const { rig, waiting, refused, release } = await shared(8);
    const clients = await Promise.all([connected(rig, held.repeat(3)), connected(rig, held.repeat(3))]);
    await until(() => waiting.length === 6);

    const refusal = await call(rig.port, plain);
    expect([refusal.status, refusal.header('retry-after')]).toEqual([503, '2']);
    expect(JSON.parse(String(refusal.body))).toMatchObject({
      error: {
        code: 'too_many_calls',
        message: expect.stringContaining(
          '(GATELOG_ORGANIZATION_SHARE_PERCENT: 75 of what others leave of GATELOG_CALLS_IN_FLIGHT: 8)',
        ) as string,
      },
    });
    await Promise.all([connected(rig, ofOther), connected(rig, ofOther)]);
    await until(() => waiting.length === 8);
    release();
    await until(() => clients.every((client) => statuses(client).length === 3));
    expect((await call(rig.port, plain)).status).toBe(200);
    expect([refused(), (await rig.exchanges(9)).length]).toEqual([['too_many_calls'], 9]);
  });

  it('those of connections that were closed do not count any more', async () => {
    const { rig, waiting, refused } = await shared(4);
    const client = await connected(rig, held.repeat(3));
    await until(() => waiting.length === 3);
    expect((await call(rig.port, plain)).status).toBe(503);
    client.socket.destroy();
    await rig.exchanges(3);
    await connected(rig, held.repeat(3));
    await until(() => waiting.length === 6);
    expect(refused()).toEqual(['too_many_calls']);
  });
});
