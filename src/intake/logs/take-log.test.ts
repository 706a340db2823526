import { describe, expect, it } from 'vitest';
import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { frameKinds } from '../../model/record/exchange.ts';
import type { LoggedCall } from '../../model/record/logged-call.ts';
import type { Principal } from '../../model/principal.ts';
import { logPathOf } from '../../model/vocabulary/log-paths.ts';
import { isIssued } from '../../gateway/record/request-ids.ts';
import type { PositionedCallSpool } from '../../spool/busy-series.ts';
import { makeLogCalls } from '../record/log-calls.ts';
import { openTo } from '../testing/open-to.ts';
import { readLog } from './read-log.ts';
import { makeTakeLog } from './take-log.ts';

const organizationId = '0198c0de-0000-7000-8000-000000000001' as OrganizationId;
const owner: Principal = { organizationId, keyId: 'k', keyHash: 'h', permissions: 'w' };
const now = Date.UTC(2026, 3, 5, 12);
const chosen = '8f6b0f6e-5d0e-4c53-9a52-0a3c2f1f0001' as RequestId;

const body = (more: object = {}, meta: object = {}) =>
  Buffer.from(
    JSON.stringify({
      providerRequest: { url: 'custom-model-nopath', json: { messages: [] }, meta },
      providerResponse: { json: {}, status: 200, headers: {} },
      ...more,
    }),
  );

function scene() {
  const recorded: LoggedCall[] = [];
  const large: number[] = [];
  const take = makeTakeLog({
    admit: async (by) => openTo(by),
    logCalls: async (_owner, calls) => {
      recorded.push(...calls);
      return calls.map(({ requestId }) => ({ requestId: requestId ?? chosen }));
    },
    readLarge: async (_organizationId, bytes, told) => {
      large.push(bytes.length);
      return readLog(bytes, told);
    },
    now: () => now,
  });
  const logPath = logPathOf('/oai/v1/log');
  if (logPath === undefined) throw new Error('it takes logs');
  const send = (bytes: Buffer, rawHeaders: readonly string[] = []) => take(owner, { logPath, rawHeaders, body: bytes });
  return { send, recorded, large };
}

describe('a log', () => {
  it('is recorded, and tells its identifier', async () => {
    const { send, recorded, large } = scene();
    const taken = await send(body(), ['content-type', 'application/json; charset=utf-8', 'svc-user-id', 'ann', 'x-other', 'b']);
    expect(taken).toEqual({ requestId: chosen, aliased: false, warnings: [] });
    expect(recorded).toMatchObject([{ provider: 'openai', tags: { userId: 'ann' } }]);
    expect(large).toEqual([]);
  });

  it('over 64 KiB is read in a thread', async () => {
    const { send, recorded, large } = scene();
    const bytes = body({ provider: 'a', padding: 'x'.repeat(65_536) });
    await send(bytes);
    expect(large).toEqual([bytes.length]);
    expect(recorded).toHaveLength(1);
  });

  it.each([
    ['of another type', ['Content-Type', 'application/x-protobuf'], /send it with "Content-Type: application\/json"/],
    ['that is compressed', ['content-encoding', 'gzip'], /send it without Content-Encoding/],
  ])('%s is refused', async (_what, headers, sentence) => {
    const { send, recorded } = scene();
    const refused = send(body(), headers);
    await expect(refused).rejects.toMatchObject({ code: 'unsupported_media_type' });
    await expect(refused).rejects.toThrow(sentence);
    expect(recorded).toEqual([]);
  });

  it('with a field that is not known is taken with a warning, and refused where it must be strict', async () => {
    const { send, recorded } = scene();
    const misspelt = body({ timings: {} });
    expect((await send(misspelt)).warnings).toEqual([expect.stringMatching(/"timings".*Did you mean `timing`/)]);
    await expect(send(misspelt, ['Helicone-Strict', 'true'])).rejects.toMatchObject({ code: 'invalid_body', details: { path: 'timings' } });
    await expect(send(body(), ['Svc-Strict', 'true'])).resolves.toMatchObject({ warnings: [] });
    expect(recorded).toHaveLength(2);
  });

  it('has an identifier of its own beside the alias', async () => {
    const { send } = scene();
    expect(await send(body({}, { 'Helicone-Request-Id': chosen.toUpperCase() }))).toMatchObject({ requestId: chosen, aliased: true });
  });
});

it.each([
  ['/custom/v1/log', undefined, false],
  ['/oai/v1/log/', 'openai', false],
  ['/v1/anthropic/v1/log?x=1', 'anthropic', false],
  ['/v1/trace/googleapis/v1/log', 'gemini', true],
  ['/v1/trace/custom/v1/log', undefined, true],
  ['/v1/trace/custom/log', undefined, true],
  ['/v1/trace/custom/log/typed', undefined, true],
  ['/v1/trace/custom/log/oai/v1/log', 'openai', true],
])('%s takes logs', (path, provider, takesMaker) => {
  expect(logPathOf(path)).toEqual({ provider, takesMaker });
});

it.each(['/v1/log', '/anthropic/v1/logs', '/v1/trace/log', '/openai/v1/log', '/custom/v1/log/typed', '/__proto__/v1/log', ''])(
  '"%s" takes none',
  (path) => {
    expect(logPathOf(path)).toBeUndefined();
  },
);

describe('calls that are logged', () => {
  function recorder(given: { readonly isWritten?: boolean; readonly hasSpace?: boolean; readonly claims?: () => void } = {}) {
    const frames: { stream: number; kind: number }[] = [];
    const claimed: RequestId[] = [];
    const observed: string[] = [];
    let streams = 0;
    const spool: PositionedCallSpool = {
      series: 'one',
      newStream: () => (streams += 1),
      append: (stream, kind) => void frames.push({ stream, kind }),
      whenWritten: (_stream, settled) => void setImmediate(settled, given.isWritten !== false),
      position: () => ({ segment: 1, offset: 0 }),
    };
    const logCalls = makeLogCalls({
      spoolOf: () => spool,
      lateSpool: () => spool,
      hasSpoolSpace: () => given.hasSpace !== false,
      claim: (_organizationId, ids) => {
        claimed.push(...ids);
        given.claims?.();
      },
      recordMaxBytes: 1024,
      now: () => now,
      observe: ({ kind }) => void observed.push(kind),
    });
    const log = (by: Principal, calls: readonly LoggedCall[]) => logCalls(openTo(by), calls);
    return { log, frames, claimed, observed };
  }

  const call = readLog(body(), { logPath: { provider: 'openai', takesMaker: false }, headers: [], now }).call;

  it('get an identifier of the time of the call, and keep their own', async () => {
    const { log, claimed } = recorder();
    const outcomes = await log(owner, [call, { ...call, requestId: chosen }]);
    expect(isIssued(organizationId, outcomes[0]?.requestId as RequestId)).toBe(true);
    expect(outcomes[1]).toEqual({ requestId: chosen });
    // So that no call through the gateway takes it.
    expect(claimed).toEqual([chosen]);
  });

  it('are recorded although the identifier cannot be claimed', async () => {
    const { log, observed } = recorder({
      claims: () => {
        throw new GatelogError('metadata_unavailable', 'locked');
      },
    });
    await expect(log(owner, [{ ...call, requestId: chosen }])).resolves.toHaveLength(1);
    expect(observed).toEqual(['claim_failed']);
  });

  it('are refused while the spool is full, and nothing is written', async () => {
    const { log, frames } = recorder({ hasSpace: false });
    await expect(log(owner, [call])).rejects.toMatchObject({ code: 'spool_unavailable', status: 503, retryAfterSeconds: 2 });
    expect(frames).toEqual([]);
  });

  it('are cut like those through the gateway, with what is behind the cut', async () => {
    const { log, frames } = recorder();
    const long = { ...call, requestBody: Buffer.alloc(5000), response: { ...call.response, body: Buffer.alloc(5000) } };
    await log(owner, [long]);
    const { opened, requestTail, responseTail, answered } = frameKinds;
    expect(frames.map(({ kind }) => kind)).toEqual([opened, requestTail, responseTail, answered]);
  });
});
