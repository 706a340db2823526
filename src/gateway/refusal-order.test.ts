import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hashKey } from '../auth/api-key.ts';
import type { Principal } from '../model/principal.ts';
import { type Draft, draftWith, faults, kibi, limitsOf, readingKey, type Recorded, textOf } from './testing/call-faults.ts';
import { openAiAt, principal, type Rig, startRig } from './testing/gateway-harness.ts';
import { call, openClient, ourKey, type Provider, requestText, startProvider, until } from './testing/raw-http.ts';

let provider: Provider;
beforeAll(async () => {
  provider = await startProvider((_request, response) => response.end('{}'));
});
afterAll(async () => provider.close());

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

const keys: ReadonlyMap<string, Principal> = new Map([
  [hashKey(ourKey), principal],
  [hashKey(readingKey), { ...principal, permissions: 'r' }],
]);

/** @param asks the keys are looked up elsewhere. */
async function rigFor(draft: Draft, asks: boolean): Promise<Rig> {
  const rig = await startRig({
    providers: { ...openAiAt(provider.port), groq: { baseUrl: 'http://127.0.0.1:9', key: 'k' } },
    limits: { routeMaxBytes: 2048 * kibi, ...draft.limits },
    ports: {
      verifyKey: (hash) => (asks ? Promise.resolve(keys.get(hash)) : keys.get(hash)),
      callLimits: limitsOf(() => draft.policies),
      ...draft.ports,
    },
    ...(draft.isCrowded ? { maxCalls: 4, organizationSharePercent: 25 } : {}),
  });
  opened.push(rig);
  if (draft.isCrowded) await crowd(rig);
  return rig;
}

/** A log that never ends counts as a call. */
async function crowd({ port, ports }: Rig): Promise<void> {
  const client = await openClient(port);
  opened.push({ close: () => client.socket.destroy() });
  client.send(requestText('POST /oai/v1/log', ['Content-Length: 9']));
  await until(() => ports.callsInFlight.running === 1);
  await call(port, requestText('PUT /oai/v1/log'));
}

interface Told {
  readonly code: string;
  readonly message: string;
  readonly record: Recorded;
}

async function tell(names: readonly string[], { headers, asks }: Way): Promise<Told> {
  const draft = draftWith(names);
  const rig = await rigFor(draft, asks);
  const response = await call(rig.port, textOf(draft, headers));
  expect(response.header('svc-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(provider.requests).toEqual([]);
  await until(() => rig.spooled().every(({ end }) => end !== undefined));
  const recorded = rig.spooled();
  expect(recorded.map(({ end }) => end?.outcome)).toEqual(recorded.map(() => 'refused'));
  const { code, message } = (
    JSON.parse(response.body.toString()) as { readonly error: { readonly code: string; readonly message: string } }
  ).error;
  return { code, message, record: recordOf(recorded[0]?.requestBody.length) };
}

function recordOf(bytes: number | undefined): Recorded {
  if (bytes === undefined) return 'none';
  return bytes === 0 ? 'without its body' : 'with its body';
}

interface Way {
  readonly headers: readonly string[];
  /** The keys are looked up elsewhere. */
  readonly asks: boolean;
}

const atOnce: Way = { headers: [], asks: false };
/** For the key, and for the cache. */
const afterWaits: Way = { headers: ['Svc-Cache-Enabled: true'], asks: true };

/** Every two that can meet; the first is told. */
const pairs = Object.entries(faults).flatMap(([first, { of }], index) =>
  Object.entries(faults)
    .slice(index + 1)
    .filter(([, later]) => !later.of.some((part) => of.includes(part)))
    .map(([second]) => [first, second] as const),
);
/** Each with the next that it can meet. */
const neighbours = pairs.filter(([first], index) => pairs[index - 1]?.[0] !== first);

/** What is told of a call with these faults. */
function expected(first: string, second?: string): Readonly<Record<keyof Told, unknown>> {
  const fault = faults[first];
  if (fault === undefined) throw new RangeError(`There is no fault "${first}".`);
  const isStreamed = second !== undefined && faults[second]?.isStreamed === true && fault.record === 'with its body';
  return {
    code: fault.code,
    message: expect.stringMatching(fault.says) as unknown,
    record: isStreamed ? 'without its body' : fault.record,
  };
}

describe('a call with one fault is refused for it', () => {
  it.each(Object.keys(faults))('at once: %s', async (name) => {
    expect(await tell([name], atOnce)).toEqual(expected(name));
  });

  it.each(Object.keys(faults))('after waits: %s', async (name) => {
    expect(await tell([name], afterWaits)).toEqual(expected(name));
  });
});

describe('of two faults of a call the earlier is told', () => {
  it.each(pairs)('at once: %s, not %s', async (first, second) => {
    expect(await tell([first, second], atOnce)).toEqual(expected(first, second));
  });

  it.each(neighbours)('after waits: %s, not %s', async (first, second) => {
    expect(await tell([first, second], afterWaits)).toEqual(expected(first, second));
  });
});
