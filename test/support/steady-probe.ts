import { setTimeout as wait } from 'node:timers/promises';
import { LatencyHistogram, type LatencySummary } from '../../bench/load/latency-histogram.ts';
import type { GatelogCandidate } from '../../bench/peers/candidate.ts';
import { chatBody } from '../../bench/gateway/chat-call.ts';

/** Time until queries found calls by their property. */
export interface FoundDelay {
  readonly calls: number;
  /** Calls that no query had found a minute after the last call. */
  readonly notFound: number;
  /** From the end of a response to the start of the first query that counted its record. */
  readonly visible: LatencySummary;
  /** From the end of a response to the end of that query. */
  readonly answered: LatencySummary;
  /** `visible` per call; `endedAt` is the end of its response in milliseconds of `performance.now()`. */
  readonly samples: readonly { readonly endedAt: number; readonly afterMs: number }[];
  /** Each distinct error once. */
  readonly errors: readonly string[];
}

const callEveryMs = 500;
/** Also the resolution: a delay is too long by at most this plus the duration of a query. */
const queryEveryMs = 100;
const lastWaitMs = 60_000;
/** Queries start this long before the call, for clock differences; a narrow range keeps them cheap. */
const lookBackMs = 1000;
const property = 'Probe';

interface Probe {
  readonly name: string;
  readonly calledAt: number;
  readonly endedAt: number;
}

/**
 * Makes two calls a second, each with a unique property, and counts by query the records of the oldest call that was not found yet.
 * Records become visible nearly in the order of their calls, so one query at a time is enough. A count is the cheapest query: the probe
 * measures the ingest, on cores that it shares with the load and the provider.
 */
export class PropertyProbe {
  private readonly service: GatelogCandidate;
  private readonly pending: Probe[] = [];
  private readonly visible = new LatencyHistogram();
  private readonly answered = new LatencyHistogram();
  private readonly samples: { readonly endedAt: number; readonly afterMs: number }[] = [];
  private readonly errors = new Set<string>();
  private calls = 0;
  private stopped = false;
  private readonly running: Promise<unknown>;

  constructor(service: GatelogCandidate) {
    this.service = service;
    this.running = Promise.all([this.makeCalls(), this.runQueries()]);
    // `stop` reports a rejection; nothing awaits the promise before.
    this.running.catch(() => undefined);
  }

  /** Delays so far. */
  summary(): LatencySummary {
    return this.visible.summary();
  }

  /** Makes no more calls and waits until the earlier ones are found. */
  async stop(): Promise<FoundDelay> {
    this.stopped = true;
    await this.running;
    const [visible, answered] = [this.visible.summary(), this.answered.summary()];
    return { calls: this.calls, notFound: this.pending.length, visible, answered, samples: this.samples, errors: [...this.errors] };
  }

  private async makeCalls(): Promise<void> {
    for (let due = performance.now(); !this.stopped; due += callEveryMs) {
      this.calls += 1;
      const name = `call ${this.calls}`;
      const calledAt = Date.now();
      if (await this.call(name)) this.pending.push({ name, calledAt, endedAt: performance.now() });
      await wait(Math.max(0, due + callEveryMs - performance.now()));
    }
  }

  private async call(name: string): Promise<boolean> {
    const { port, headers } = this.service;
    try {
      const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json', [`Svc-Property-${property}`]: name },
        body: chatBody({}),
      });
      await response.arrayBuffer();
      if (response.status === 200 && response.headers.get('svc-recorded') !== 'false') return true;
      this.errors.add(`a probe was answered ${response.status} or not recorded`);
    } catch (error) {
      this.errors.add(`a probe failed: ${String(error)}`);
    }
    return false;
  }

  private async runQueries(): Promise<void> {
    let deadline = Number.POSITIVE_INFINITY;
    while (!(this.stopped && this.pending.length === 0) && performance.now() < deadline) {
      if (this.stopped) deadline = Math.min(deadline, performance.now() + lastWaitMs);
      const [oldest] = this.pending;
      const queriedAt = performance.now();
      if (oldest === undefined || !(await this.isFound(oldest))) {
        await wait(queryEveryMs);
        continue;
      }
      this.visible.record(queriedAt - oldest.endedAt);
      this.samples.push({ endedAt: oldest.endedAt, afterMs: queriedAt - oldest.endedAt });
      this.answered.record(performance.now() - oldest.endedAt);
      this.pending.shift();
    }
  }

  private async isFound({ name, calledAt }: Probe): Promise<boolean> {
    const { apiUrl, apiKey } = this.service;
    const since = new Date(calledAt - lookBackMs).toISOString();
    const filter = {
      left: { request_response_rmt: { request_created_at: { gte: since } } },
      operator: 'and',
      right: { request_response_rmt: { properties: { [property]: { equals: name } } } },
    };
    try {
      const response = await fetch(`${apiUrl}/v1/request/count/query`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ filter }),
      });
      const answer = (await response.json()) as { readonly data: number | null };
      if (response.status === 200) return (answer.data ?? 0) > 0;
      this.errors.add(`a query was answered ${response.status}`);
    } catch (error) {
      this.errors.add(`a query failed: ${String(error)}`);
    }
    return false;
  }
}
