import { randomUUID } from 'node:crypto';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { SeededRandom } from './seeded-random.ts';
import { failingModel, loadModel, refusedOnce } from './load-provider.ts';
import { testKey } from './process-tree.ts';

export const callKinds = ['json', 'stream', 'retried', 'fallen back', 'cached', 'chosen id'] as const;
export type CallKind = (typeof callKinds)[number];

/** One call and what its client received. Times are those of `performance.now()`. */
export interface CallOutcome {
  /** Unique; the property `Call`. */
  readonly number: number;
  readonly kind: CallKind;
  readonly startedAt: number;
  endedAt: number;
  readonly chosenId: string | undefined;
  /** `svc-id` of the response. */
  id: string | undefined;
  status: number;
  /** The client received a complete response: by Content-Length, the terminal chunk, or `[DONE]`. */
  complete: boolean;
  /** False when the response said `svc-recorded: false`. */
  recorded: boolean;
  warning: string | undefined;
}

/** One requested change of a property. */
export interface UpdateOutcome {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly startedAt: number;
  endedAt: number;
  /** Status of the response; 0 when none came. */
  status: number;
}

export interface LoadOptions {
  readonly gateway: string;
  readonly api: string;
  readonly callsPerSecond: number;
  /** One call in this many is changed while it is open, and one in this many when it is complete; 0: none. */
  readonly updateEvery: number;
  readonly random: SeededRandom;
  /** Number of the first call: the numbers of all loads of a run are unique. */
  readonly firstNumber?: number;
  /** Called when a call has ended. */
  readonly onCall?: (outcome: CallOutcome) => void;
}

export interface Load {
  readonly calls: readonly CallOutcome[];
  readonly updates: readonly UpdateOutcome[];
  readonly stop: () => Promise<void>;
}

/** Calls beyond this many concurrent ones are left out; the reported rate shows it. */
const maxConcurrentCalls = 400;
const tickMs = 10;
const callTimeoutMs = 60_000;
/** Number of distinct bodies of cached calls. */
const cachedBodies = 40;

/** Makes calls at a steady rate, whatever their results, and changes properties of some of them as soon as their identifiers are known. */
export function startLoad(options: LoadOptions): Load {
  const calls: CallOutcome[] = [];
  const updates: UpdateOutcome[] = [];
  const open = new Set<Promise<void>>();
  const agent = new Agent({ keepAlive: true, maxSockets: maxConcurrentCalls });
  const parts: LoadParts = { options, agent, updates, open };
  const stopping = new AbortController();
  const loop = async (): Promise<void> => {
    const startedAt = performance.now();
    let due = 0;
    for (let number = options.firstNumber ?? 1; !stopping.signal.aborted;) {
      const wanted = ((performance.now() - startedAt) / 1000) * options.callsPerSecond;
      for (; due < wanted; due += 1) {
        if (open.size >= maxConcurrentCalls) continue;
        const outcome = newOutcome(number, options.random);
        number += 1;
        calls.push(outcome);
        track(open, makeCall(parts, outcome));
      }
      await wait(tickMs);
    }
  };
  const looping = loop();
  return {
    calls,
    updates,
    stop: async () => {
      stopping.abort();
      await looping;
      while (open.size > 0) await Promise.all(open);
      agent.destroy();
    },
  };
}

interface LoadParts {
  readonly options: LoadOptions;
  readonly agent: Agent;
  readonly updates: UpdateOutcome[];
  readonly open: Set<Promise<void>>;
}

function track(open: Set<Promise<void>>, work: Promise<void>): void {
  open.add(work);
  void work.finally(() => open.delete(work));
}

function newOutcome(number: number, random: SeededRandom): CallOutcome {
  const kind = random.of<CallKind>(['json', 'json', 'stream', 'stream', 'retried', 'fallen back', 'cached', 'chosen id']);
  const startedAt = performance.now();
  const chosenId = kind === 'chosen id' ? randomUUID() : undefined;
  return {
    number,
    kind,
    startedAt,
    endedAt: startedAt,
    chosenId,
    id: undefined,
    status: 0,
    complete: false,
    recorded: true,
    warning: undefined,
  };
}

/** The number in the text of a call, which determines its tokens and its cost. */
export function bodyNumberOf({ number, kind }: Pick<CallOutcome, 'number' | 'kind'>): number {
  return kind === 'cached' ? number % cachedBodies : number;
}

const headersOfKind: Readonly<Record<CallKind, Readonly<Record<string, string>>>> = {
  json: {},
  stream: {},
  retried: { 'Svc-Retry-Enabled': 'true', 'Svc-Retry-Num': '3', 'Svc-Retry-Min-Timeout': '5', 'Svc-Retry-Max-Timeout': '20' },
  'fallen back': { 'Svc-Fallbacks': JSON.stringify([{ model: loadModel }]) },
  cached: { 'Svc-Cache-Enabled': 'true' },
  'chosen id': {},
};

function headersOf({ number, kind, chosenId }: CallOutcome): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Authorization: 'Bearer sk-provider',
    'Svc-Auth': `Bearer ${testKey}`,
    'Svc-Property-Call': String(number),
    'Svc-User-Id': `user-${number % 10}`,
    ...headersOfKind[kind],
    ...(chosenId === undefined ? {} : { 'Svc-Request-Id': chosenId }),
  };
}

function bodyOf(outcome: CallOutcome): string {
  const model = outcome.kind === 'fallen back' ? failingModel : loadModel;
  const text = `call ${bodyNumberOf(outcome)}${outcome.kind === 'retried' ? `, ${refusedOnce}` : ''} ${'x'.repeat(300)}`;
  return JSON.stringify({ model, stream: outcome.kind === 'stream', messages: [{ role: 'user', content: text }] });
}

async function makeCall(parts: LoadParts, outcome: CallOutcome): Promise<void> {
  const { options, agent } = parts;
  const updateWhen = isChosen(options) ? 'open' : isChosen(options) ? 'whole' : undefined;
  await new Promise<void>((resolve) => {
    const request = httpRequest(
      `${options.gateway}/v1/chat/completions`,
      { method: 'POST', agent, headers: headersOf(outcome), timeout: callTimeoutMs },
      (response) => {
        readHead(response, outcome);
        if (updateWhen === 'open') startUpdate(parts, outcome);
        readBody(response, outcome, resolve);
      },
    );
    request.on('timeout', () => request.destroy(new Error('no data came for too long')));
    request.on('error', () => resolve());
    request.end(bodyOf(outcome));
  });
  outcome.endedAt = performance.now();
  if (updateWhen === 'whole' && outcome.complete) startUpdate(parts, outcome);
  options.onCall?.(outcome);
}

function isChosen({ updateEvery, random: dice }: LoadOptions): boolean {
  return updateEvery > 0 && dice.below(updateEvery) === 0;
}

function readHead(response: IncomingMessage, outcome: CallOutcome): void {
  const text = (name: string): string | undefined => {
    const value = response.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  outcome.id = text('svc-id');
  outcome.status = response.statusCode ?? 0;
  outcome.recorded = text('svc-recorded') !== 'false';
  outcome.warning = text('svc-warning');
}

function readBody(response: IncomingMessage, outcome: CallOutcome, ended: () => void): void {
  let tail = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    tail = (tail + chunk).slice(-40);
    if (outcome.kind === 'stream' && tail.includes('data: [DONE]\n\n')) outcome.complete = true;
  });
  response.on('end', () => {
    outcome.complete ||= response.complete;
  });
  response.on('error', () => undefined);
  response.on('close', ended);
}

/** Sets a new property on a request. */
function startUpdate(parts: LoadParts, { id, number }: CallOutcome): void {
  if (id === undefined) return;
  const { updates, open, options } = parts;
  const startedAt = performance.now();
  const update: UpdateOutcome = { id, name: `Mark-${updates.length + 1}`, value: `of ${number}`, startedAt, endedAt: startedAt, status: 0 };
  updates.push(update);
  track(open, sendUpdate(`${options.api}/v1/request/${id}/property`, update));
}

async function sendUpdate(url: string, update: UpdateOutcome): Promise<void> {
  try {
    const response = await fetch(url, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ [update.name]: update.value }),
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    await response.arrayBuffer();
    update.status = response.status;
  } catch {
    // Without a response nothing was promised.
  }
  update.endedAt = performance.now();
}
