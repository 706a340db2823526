import { afterEach, describe, expect, it } from 'vitest';
import { openAiAt, organizationId, type Rig, startRig } from '../testing/gateway-harness.ts';
import { GatelogError } from '../../model/errors.ts';
import { type BodyReservation, BodyMemory, type ReservationOutcome } from './memory.ts';
import type { LargeBodies } from './threads.ts';
import { bodyOf, call, openClient, type Provider, type RawClient, requestText, soon, startProvider, until } from '../testing/raw-http.ts';

const mebi = 1024 * 1024;
const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

const path = '/v1/chat/completions';
const start = '{"model":"gpt-4o","input":"';
const chat = (bytes: number): string => `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
const post = (body: string, headers: readonly string[] = [], to = path): string =>
  requestText(`POST ${to}`, ['Content-Type: application/json', ...headers], body);
const inChunks = ['Transfer-Encoding: chunked'];
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

interface Scene {
  readonly rig: Rig;
  readonly held: BodyMemory;
  readonly provider: Provider;
  /** Calls that the provider has not answered. */
  readonly answer: (() => void)[];
}

/** @param holds the provider answers only when told. */
async function scene({ maxBytes = 16 * mebi, waitMs = 60_000, holds = false }): Promise<Scene> {
  const answer: (() => void)[] = [];
  const provider = await startProvider((request, response) => {
    void bodyOf(request).then(
      (body) => {
        const end = (): unknown => response.end(`got ${body.length}`);
        if (holds) answer.push(end);
        else end();
      },
      () => response.destroy(),
    );
  });
  const held = new BodyMemory({ maxBytes, sharePercent: 90, waitMs });
  const rig = await startRig({
    providers: openAiAt(provider.port),
    limits: { routeMaxBytes: 16 * mebi },
    ports: { bodyMemory: held },
    // On a busy machine the last of 500 bodies waits longer than the 30 s of the harness, after which Node answers 408.
    requestTimeoutMs: 10 * 60_000,
  });
  opened.push(rig, provider);
  return { rig, held, provider, answer };
}

function never(): never {
  throw new Error('nobody asks for it');
}

async function client(port: number): Promise<RawClient> {
  const opening = await openClient(port);
  opened.push({ close: () => opening.socket.destroy() });
  return opening;
}

describe('the bytes of bodies that a worker holds', () => {
  it.each([
    ['of known length', (body: string) => post(body)],
    ['in chunks', (body: string) => `${requestText(`POST ${path}`, inChunks)}${chunk(body)}0\r\n\r\n`],
    ['held for fallbacks alone', (body: string) => post(body, ['Svc-Retry-Enabled: true'])],
  ])(
    '500 bodies of 1 MiB at once, %s, stay below a budget of 16 MiB, and all are sent',
    async (_how, asText) => {
      const { rig, held } = await scene({ waitMs: 10 * 60_000 });
      const text = Buffer.from(asText(chat(mebi)));
      let most = 0;
      let isOver = false;
      const watch = (): void => {
        most = Math.max(most, held.reservedBytes);
        if (!isOver) setImmediate(watch);
      };
      watch();
      const responses = await Promise.all(Array.from({ length: 500 }, () => call(rig.port, text)));
      isOver = true;
      expect(responses.filter(({ status, body }) => status === 200 && body.toString() === `got ${mebi}`)).toHaveLength(500);
      expect(most).toBeGreaterThan(mebi);
      expect(most).toBeLessThanOrEqual(16 * mebi);
      await until(() => held.reservedBytes === 0);
    },
    10 * 60_000,
  );

  it('are given back once a body has been sent, however long its answer takes', async () => {
    const { rig, held, answer } = await scene({ holds: true });
    const one = await client(rig.port);
    one.send(post(chat(mebi)));
    await until(() => answer.length === 1 && held.reservedBytes === 0);
    expect(one.size()).toBe(0);
    answer[0]?.();
    await one.until(`got ${mebi}`);
  });

  it('are kept while a body may be sent again, and given back with the end of the call', async () => {
    const { rig, held, answer } = await scene({ holds: true });
    const one = await client(rig.port);
    one.send(post(chat(mebi), ['Svc-Retry-Enabled: true']));
    await until(() => answer.length === 1);
    expect(held.reservedBytes).toBeGreaterThanOrEqual(mebi);
    answer[0]?.();
    await one.until(`got ${mebi}`);
    await until(() => held.reservedBytes === 0);
  });

  it.each([
    ['a client that leaves in the middle of its body', post(chat(mebi)).slice(0, mebi / 2)],
    ['a client that leaves in the middle of a body in chunks', requestText(`POST ${path}`, inChunks) + chunk(chat(mebi / 2))],
    ['a client that leaves before the answer', post(chat(mebi), ['Svc-Retry-Enabled: true'])],
    ['one of two calls on one connection', post(chat(mebi), ['Svc-Retry-Enabled: true']) + post(chat(mebi), ['Svc-Retry-Enabled: true'])],
  ])('are given back by %s', async (_who, text) => {
    const { rig, held } = await scene({ holds: true });
    const one = await client(rig.port);
    one.send(text);
    await until(() => held.reservedBytes > mebi / 2);
    await soon();
    one.socket.destroy();
    await until(() => held.reservedBytes === 0);
    expect(held.reservedBytes).toBe(0);
  });

  it('are not given back while a thread keeps the body: one whose client leaves is told to let it go', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const shape: LargeBodies['shape'] = ({ signal }) =>
      new Promise((_resolve, reject) => {
        signals.push(signal);
        signal?.addEventListener('abort', () => reject(new GatelogError('too_many_calls', 'The client has left.')));
      });
    const largeBodies = { shape, summaries: never, echo: never };
    const provider = await startProvider((_request, response) => response.end());
    const rig = await startRig({ providers: openAiAt(provider.port), limits: { routeMaxBytes: 16 * mebi }, ports: { largeBodies } });
    opened.push(rig, provider);
    const one = await client(rig.port);
    one.send(post(chat(2 * mebi)));
    await until(() => signals.length === 1);
    one.socket.destroy();
    const [exchange] = await rig.exchanges(1);
    expect([signals[0]?.aborted, exchange?.end?.outcome, provider.requests.length]).toEqual([true, 'client_left', 0]);
  });

  it('are given back by a call that is refused, and by one whose provider breaks off', async () => {
    const broken = await startProvider((request) => request.socket.destroy());
    const held = new BodyMemory({ maxBytes: 16 * mebi, sharePercent: 90, waitMs: 1000 });
    const rig = await startRig({ providers: openAiAt(broken.port), limits: { routeMaxBytes: 16 * mebi }, ports: { bodyMemory: held } });
    opened.push(rig, broken);
    expect((await call(rig.port, post(chat(mebi)))).status).toBe(502);
    await until(() => held.reservedBytes === 0);
    expect((await call(rig.port, post(chat(mebi).replace('gpt-4o', '!gpt-4')))).status).toBe(422);
    await until(() => held.reservedBytes === 0);
  });
});

describe('a call for whose body there is no room', () => {
  it('waits where the body decides about it, and is then 503 with the setting, on record', async () => {
    const { rig, held, provider } = await scene({ waitMs: 50 });
    expect(held.open('another').tryGrow(15 * mebi)).toBe(true);
    const response = await call(rig.port, post(chat(mebi)));
    expect(response.status).toBe(503);
    expect(response.header('retry-after')).toBe('2');
    expect(response.body.toString()).toMatch(/GATELOG_HELD_BODIES_BYTES: 16777216/);
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.end).toMatchObject({ outcome: 'refused' });
    const growing = await client(rig.port);
    growing.send(requestText(`POST ${path}`, inChunks) + chunk(chat(8 * mebi)));
    await growing.until('GATELOG_HELD_BODIES_BYTES');
    expect(provider.requests).toHaveLength(0);
    await until(() => held.reservedBytes === 15 * mebi);
  });

  it('goes on when there is room, also in the middle of a body in chunks', async () => {
    const { rig, held } = await scene({ waitMs: 10 * 60_000 });
    const other = held.open('another');
    expect(other.tryGrow(15 * mebi)).toBe(true);
    const [declared, growing] = [await client(rig.port), await client(rig.port)];
    declared.send(post(chat(mebi)));
    growing.send(`${requestText(`POST ${path}`, inChunks)}${chunk(chat(4 * mebi))}0\r\n\r\n`);
    await soon();
    expect(declared.size() + growing.size()).toBe(0);
    other.release();
    await declared.until(`got ${mebi}`);
    await growing.until(`got ${4 * mebi}`);
  });

  it('goes on by and by, when each of several in chunks has begun and needs more', async () => {
    const held = new BodyMemory({ maxBytes: 1000, sharePercent: 90, waitMs: 10 * 60_000 });
    const ended: number[] = [];
    const read = (number: number): void => {
      const reservation = held.open(`organization ${number % 2}`);
      reservation.isGrowing = true;
      const grow = (steps: number): void => {
        if (steps === 0) {
          ended.push(number);
          reservation.release();
        } else if (reservation.tryGrow(100)) setImmediate(grow, steps - 1);
        else reservation.waitToGrow(100, (outcome) => outcome === 'granted' && grow(steps - 1));
      };
      grow(4);
    };
    for (let number = 0; number < 20; number += 1) read(number);
    await until(() => ended.length === 20);
    expect(held.reservedBytes).toBe(0);
  });

  it('leaves when its client does', async () => {
    const { rig, held } = await scene({ waitMs: 10 * 60_000 });
    expect(held.open('another').tryGrow(15 * mebi)).toBe(true);
    const one = await client(rig.port);
    one.send(post(chat(mebi)).slice(0, 1000));
    await soon();
    one.socket.destroy();
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.end?.outcome).toBe('client_left');
    expect(held.reservedBytes).toBe(15 * mebi);
  });

  it.each([
    ['of known length', post(chat(2 * mebi), ['Svc-Retry-Enabled: true'], '/openai/v1/chat/completions')],
    [
      'in chunks',
      `${requestText('POST /openai/v1/chat/completions', [...inChunks, 'Svc-Stream-Usage: true'])}${chunk(chat(2 * mebi))}0\r\n\r\n`,
    ],
  ])('goes on unheld, with a warning, where it was held for retries or the question for usage alone, %s', async (_how, text) => {
    const { rig, held } = await scene({ waitMs: 10 * 60_000 });
    expect(held.open('another').tryGrow(15 * mebi)).toBe(true);
    const response = await call(rig.port, text);
    expect(response.body.toString()).toBe(`got ${2 * mebi}`);
    expect(response.header('svc-warning')).toMatch(/GATELOG_HELD_BODIES_BYTES/);
  });
});

describe('the share of an organisation', () => {
  const options = { maxBytes: 1000, sharePercent: 90, waitMs: 60_000 };

  it('is not all that there is, and one body fits where there is room', () => {
    const held = new BodyMemory(options);
    const greedy = Array.from({ length: 20 }, () => held.open('greedy')).filter((reservation) => reservation.tryGrow(100));
    expect(greedy).toHaveLength(9);
    expect(held.open('modest').tryGrow(90)).toBe(true);
    expect(new BodyMemory({ ...options, sharePercent: 1 }).open('alone').tryGrow(1000)).toBe(true);
  });

  it('is given in turns, and within an organisation in the order of its calls', async () => {
    const held = new BodyMemory(options);
    const first = held.open('first');
    expect(first.tryGrow(1000)).toBe(true);
    const order: string[] = [];
    const wait = (organization: string, name: string): BodyReservation => {
      const reservation = held.open(organization);
      reservation.waitToGrow(200, (outcome: ReservationOutcome) => order.push(`${name} ${outcome}`));
      return reservation;
    };
    for (const name of ['a1', 'a2', 'a3']) wait('a', name);
    wait('b', 'b1');
    expect(held.open('a').tryGrow(1)).toBe(false);
    first.resize(0);
    await until(() => order.length === 4);
    expect(order).toEqual(['a1 granted', 'b1 granted', 'a2 granted', 'a3 granted']);
    expect(held.reservedBytes).toBe(800);
  });

  it('of those that wait leaves room for others to wait', () => {
    const held = new BodyMemory(options);
    held.open(organizationId).tryGrow(1000);
    const refused: string[] = [];
    const holds = Array.from({ length: 1000 }, () => held.open('greedy'));
    for (const reservation of holds) reservation.waitToGrow(10, (outcome) => refused.push(outcome));
    expect(refused).toEqual(Array.from({ length: 100 }, () => 'refused'));
    const modest = held.open('modest');
    modest.waitToGrow(10, (outcome) => refused.push(outcome));
    expect(refused).toHaveLength(100);
    for (const reservation of [...holds, modest]) reservation.release();
  });
});
