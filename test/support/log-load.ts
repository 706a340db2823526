import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Dice } from './dice.ts';
import { testKey } from './process-tree.ts';
import { readRecords } from './stored-records.ts';

/** One logged call, and what its sender was told. */
export interface LogOutcome {
  readonly id: string;
  /** The listener to which it goes first. */
  readonly to: 'gateway' | 'api';
  /** How often it was sent. */
  sent: number;
  /** How often the answer was 200. */
  acknowledged: number;
  /** Statuses other than 200; 0 when no answer came. */
  readonly failures: number[];
}

export interface LogLoadOptions {
  readonly gateway: string;
  readonly api: string;
  readonly logsPerSecond: number;
  readonly dice: Dice;
}

export interface LogLoad {
  readonly logs: readonly LogOutcome[];
  /** Sends what nobody has acknowledged until somebody has, then ends. */
  readonly stop: () => Promise<void>;
}

const retryMs = 200;
const timeoutMs = 30_000;
/** One acknowledged log in this many is sent again, as by a sender that lost the answer. */
const repeatedOnce = 4;

/** Logs calls with identifiers of their own at a steady rate, each until it is acknowledged, and some of them again. */
export function startLogLoad(options: LogLoadOptions): LogLoad {
  const { dice, logsPerSecond } = options;
  const logs: LogOutcome[] = [];
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const begin = (): void => {
    const log: LogOutcome = { id: randomUUID(), to: dice.of(['gateway', 'api'] as const), sent: 0, acknowledged: 0, failures: [] };
    logs.push(log);
    const sending = sendUntilAcknowledged(options, log, logs.length);
    running.add(sending);
    void sending.finally(() => running.delete(sending));
  };
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      begin();
      await wait(1000 / logsPerSecond);
    }
  };
  const looping = loop();
  return {
    logs,
    stop: async () => {
      stopping.abort();
      await looping;
      while (running.size > 0) await Promise.all(running);
    },
  };
}

async function sendUntilAcknowledged(options: LogLoadOptions, log: LogOutcome, number: number): Promise<void> {
  const wanted = options.dice.below(repeatedOnce) === 0 ? 2 : 1;
  while (log.acknowledged < wanted) {
    // A repetition may go to the other listener.
    const base = log.acknowledged === 0 ? options[log.to] : options[options.dice.of(['gateway', 'api'] as const)];
    log.sent += 1;
    const status = await send(base, log.id, number);
    if (status === 200) log.acknowledged += 1;
    else {
      log.failures.push(status);
      await wait(retryMs);
    }
  }
}

async function send(base: string, id: string, number: number): Promise<number> {
  const body = {
    providerRequest: {
      url: 'custom-model-nopath',
      json: { model: 'gpt-4o', messages: [{ role: 'user', content: `log ${number}` }] },
      meta: { 'Svc-Request-Id': id, 'Svc-Property-Call': `log ${id}` },
    },
    providerResponse: { json: { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }, status: 200, headers: {} },
    timing: { startTime: Date.now() - 100, endTime: Date.now() },
  };
  try {
    const response = await fetch(`${base}/oai/v1/log`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** Compares what senders were told with what is stored; both lists must be empty. */
export interface LogVerdict {
  /** Acknowledged and not stored. */
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly acknowledged: number;
  /** Sent more than once. */
  readonly repeated: number;
}

/** Call it once the store has all calls. */
export async function judgeLogs(api: string, logs: readonly LogOutcome[]): Promise<LogVerdict> {
  const endsAt = performance.now() + 60_000;
  for (;;) {
    const counts = new Map<string, number>();
    for (const { id } of await readRecords(api)) counts.set(id, (counts.get(id) ?? 0) + 1);
    const lost = logs.filter(({ id, acknowledged }) => acknowledged > 0 && !counts.has(id)).map(({ id }) => id);
    if (lost.length > 0 && performance.now() < endsAt) {
      await wait(500);
      continue;
    }
    return {
      lost,
      doubled: logs.filter(({ id }) => (counts.get(id) ?? 0) > 1).map(({ id }) => id),
      acknowledged: logs.filter(({ acknowledged }) => acknowledged > 0).length,
      repeated: logs.filter(({ sent }) => sent > 1).length,
    };
  }
}
