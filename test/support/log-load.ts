import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { requestOf } from '../../src/otlp/testing/spans.ts';
import type { SeededRandom } from './seeded-random.ts';
import { testKey } from './process-tree.ts';
import { readRecords } from './stored-records.ts';

/** One call that is told of by a log or by a span, and what its sender was told. */
export interface LogOutcome {
  readonly id: string;
  readonly form: 'log' | 'span';
  readonly startMs: number;
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
  readonly random: SeededRandom;
}

export interface LogLoad {
  readonly logs: readonly LogOutcome[];
  /** Sends what nobody has acknowledged until somebody has, then ends. */
  readonly stop: () => Promise<void>;
}

const retryMs = 200;
const timeoutMs = 30_000;
/** One acknowledged call in this many is sent again, as by a sender that lost the answer. */
const repeatedOnce = 4;

/** Tells of calls at a steady rate, half by logs and half by spans, of each until it is acknowledged, and of some again. */
export function startLogLoad(options: LogLoadOptions): LogLoad {
  const { random: dice, logsPerSecond } = options;
  const logs: LogOutcome[] = [];
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const begin = (): void => {
    const log: LogOutcome = {
      id: randomUUID(),
      form: dice.of(['log', 'span'] as const),
      startMs: Date.now() - 100,
      to: dice.of(['gateway', 'api'] as const),
      sent: 0,
      acknowledged: 0,
      failures: [],
    };
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
  const wanted = options.random.below(repeatedOnce) === 0 ? 2 : 1;
  while (log.acknowledged < wanted) {
    // A repetition may go to the other listener.
    const base = log.acknowledged === 0 ? options[log.to] : options[options.random.of(['gateway', 'api'] as const)];
    log.sent += 1;
    const status = await send(base, log, number);
    if (status === 200) log.acknowledged += 1;
    else {
      log.failures.push(status);
      await wait(retryMs);
    }
  }
}

async function send(base: string, log: LogOutcome, number: number): Promise<number> {
  const [path, body] = log.form === 'log' ? ['/oai/v1/log', logOf(log, number)] : ['/v1/otlp/v1/traces', spanOf(log, number)];
  try {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return text.includes('partialSuccess') ? 0 : response.status;
  } catch {
    return 0;
  }
}

function logOf({ id, startMs }: LogOutcome, number: number): unknown {
  return {
    providerRequest: {
      url: 'custom-model-nopath',
      json: { model: 'gpt-4o', messages: [{ role: 'user', content: `log ${number}` }] },
      meta: { 'Svc-Request-Id': id, 'Svc-Property-Call': callOf(id) },
    },
    providerResponse: { json: { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }, status: 200, headers: {} },
    timing: { startTime: startMs, endTime: startMs + 100 },
  };
}

function spanOf({ id, startMs }: LogOutcome, number: number): unknown {
  const traceId = id.replaceAll('-', '');
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: `span ${number}` }] }],
    'gen_ai.usage.input_tokens': 1,
    'gen_ai.usage.output_tokens': 1,
    'Svc-Property-Call': callOf(id),
  };
  return requestOf([{ traceId, spanId: traceId.slice(0, 16), startMs, endMs: startMs + 100, attributes }]);
}

function callOf(id: string): string {
  return `log ${id}`;
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
    for (const { properties } of await readRecords(api)) {
      const call = properties['Call'] ?? '';
      counts.set(call, (counts.get(call) ?? 0) + 1);
    }
    const lost = logs.filter(({ id, acknowledged }) => acknowledged > 0 && !counts.has(callOf(id))).map(({ id }) => id);
    if (lost.length > 0 && performance.now() < endsAt) {
      await wait(500);
      continue;
    }
    return {
      lost,
      doubled: logs.filter(({ id }) => (counts.get(callOf(id)) ?? 0) > 1).map(({ id }) => id),
      acknowledged: logs.filter(({ acknowledged }) => acknowledged > 0).length,
      repeated: logs.filter(({ sent }) => sent > 1).length,
    };
  }
}
