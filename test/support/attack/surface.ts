import { setTimeout as wait } from 'node:timers/promises';

/** What one organisation does to the service. Every load is bounded: it ends with {@link Target.signal}, and only the service is asked. */
export interface Surface {
  readonly name: string;
  /** The attack in words, for the report. */
  readonly words: string;
  /** Loads the service until the signal, then takes away what it has stored. */
  readonly attack: (target: Target) => Promise<void>;
}

/** The service as the attacking organisation sees it. */
export interface Target {
  readonly gateway: string;
  readonly api: string;
  /** Of an administrator. */
  readonly key: string;
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  /** Requests of the organisation on record. */
  readonly requestIds: readonly string[];
  /** Sends a request and counts its answer; never fails. */
  readonly send: (request: AttackRequest) => Promise<Answered>;
}

export interface AttackRequest {
  readonly method?: string;
  /** An address of {@link Target.gateway} or {@link Target.api}. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Bytes of the answer that are kept; the rest is read and dropped. */
  readonly keep?: number;
  /** True: the request outlives the time of the attack, such as one that clears up. */
  readonly isClearing?: boolean;
  /** Milliseconds between two chunks that are read; absent: as fast as they come. */
  readonly readEveryMs?: number;
  /** Milliseconds before the last byte of the body is sent; absent: it is sent at once. */
  readonly holdMs?: number;
}

export interface Answered {
  /** 0: none came. */
  readonly status: number;
  readonly text: string;
}

/** Repeats the work in so many lanes at once until the time is over. */
export async function lanes({ signal }: Target, count: number, work: (turn: number, lane: number) => Promise<unknown>): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, lane) => {
      for (let turn = 0; !signal.aborted; turn += 1) await work(turn, lane);
    }),
  );
}

/** Waits, no longer than until the signal. */
export function pause(signal: AbortSignal, ms: number): Promise<void> {
  return wait(ms, undefined, { signal }).catch(() => undefined);
}

/** A filter of a condition on one field. */
export function leaf(field: string, operators: object): object {
  return { request_response_rmt: { [field]: operators } };
}

/** All of some conditions, as a tree that is not deep. */
export function balanced(leaves: readonly object[]): object {
  const [only = {}, ...others] = leaves;
  if (others.length === 0) return only;
  const half = Math.ceil(leaves.length / 2);
  return { left: balanced(leaves.slice(0, half)), operator: 'or', right: balanced(leaves.slice(half)) };
}

/** Filters that have much to do on each record, most of all on one with a large body or many properties. */
export const dearFilters: readonly object[] = [
  leaf('request_body', { like: `%${'a'.repeat(2000)}_b%` }),
  balanced(Array.from({ length: 60 }, (_, number) => leaf('request_body', { contains: `needle ${number}` }))),
  balanced(Array.from({ length: 40 }, (_, number) => leaf('response_body', { ilike: `%a_${number}_b%` }))),
  balanced(Array.from({ length: 64 }, (_, number) => leaf('properties', { [`P${number}`]: { ilike: `%${'x'.repeat(40)}_y%` } }))),
];

/** Posts JSON. */
export function post(target: Target, url: string, body: unknown, rest: Partial<AttackRequest> = {}): Promise<Answered> {
  return target.send({ method: 'POST', url, body: JSON.stringify(body), ...rest });
}

/** A call that the gateway answers by itself, with a text. */
export function echoCall(target: Target, text: string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> {
  const body = { model: 'echo/attack', messages: [{ role: 'user', content: text }] };
  return post(target, `${target.gateway}/v1/chat/completions`, body, { headers });
}

/** A record of a megabyte, and one with as many properties as there may be. */
export async function sendLargeRecords(target: Target): Promise<void> {
  await echoCall(target, 'a'.repeat(1_000_000));
  const properties = Object.fromEntries(Array.from({ length: 60 }, (_, number) => [`P${number}`, 'x'.repeat(8000)]));
  await echoCall(target, 'many properties', { 'svc-properties': JSON.stringify(properties) });
}
