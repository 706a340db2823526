import { setTimeout as sleep } from 'node:timers/promises';
import { LatencyHistogram, type LatencySummary } from '../load/latency-histogram.ts';
import type { GatelogCandidate } from '../peers/candidate.ts';
import { chatBody } from './chat-call.ts';

export interface VisibleDelay {
  readonly calls: number;
  /** Calls that no query had found five minutes after the last call. */
  readonly notFound: number;
  /** From the end of a call's response to the end of the first query that found it. */
  readonly delay: LatencySummary;
}

const callIntervalMs = 1000;
/** Queries use the same cores. This interval is also the precision of the delays. */
const queryIntervalMs = 250;
const lastWaitMs = 300_000;

interface Probe {
  readonly requestId: string;
  readonly endedAtMs: number;
}

/**
 * Measures how long it takes until a call can be queried. It makes one call a second through the gateway, and four times a second it
 * queries the API for the oldest call that was not found yet. Records become visible nearly in the order of their calls, so one query at a
 * time is enough.
 */
export class VisibleDelayProbe {
  private readonly candidate: GatelogCandidate;
  private readonly waiting: Probe[] = [];
  private readonly delays = new LatencyHistogram();
  private calls = 0;
  private stopped = false;
  private readonly callsMade: Promise<void>;
  private readonly found: Promise<void>;

  constructor(candidate: GatelogCandidate) {
    this.candidate = candidate;
    this.callsMade = this.makeCalls();
    this.found = this.query();
    // `stop` reports failures minutes later; until then they would be unhandled rejections.
    for (const running of [this.callsMade, this.found]) running.catch(() => undefined);
  }

  /** Makes no more calls, and waits until the earlier ones are found, five minutes at most. */
  async stop(): Promise<VisibleDelay> {
    this.stopped = true;
    await this.callsMade;
    await this.found;
    return { calls: this.calls, notFound: this.waiting.length, delay: this.delays.summary() };
  }

  private async makeCalls(): Promise<void> {
    for (let next = performance.now(); !this.stopped; next += callIntervalMs) {
      const requestId = await this.call();
      this.calls += 1;
      this.waiting.push({ requestId, endedAtMs: performance.now() });
      await sleep(Math.max(0, next + callIntervalMs - performance.now()));
    }
  }

  private async call(): Promise<string> {
    const { port, headers } = this.candidate;
    const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json', 'Svc-Property-Probe': 'visible-delay' },
      body: chatBody({}),
    });
    await response.arrayBuffer();
    const requestId = response.headers.get('svc-id');
    if (response.status !== 200 || requestId === null) throw new Error(`A probing call was answered ${response.status}.`);
    return requestId;
  }

  private async query(): Promise<void> {
    let deadlineMs = Number.POSITIVE_INFINITY;
    while (!(this.stopped && this.waiting.length === 0) && performance.now() < deadlineMs) {
      if (this.stopped) deadlineMs = Math.min(deadlineMs, performance.now() + lastWaitMs);
      const [oldest] = this.waiting;
      if (oldest === undefined || !(await this.isVisible(oldest))) {
        await sleep(queryIntervalMs);
        continue;
      }
      this.delays.record(performance.now() - oldest.endedAtMs);
      this.waiting.shift();
    }
  }

  private async isVisible({ requestId }: Probe): Promise<boolean> {
    const { apiUrl, apiKey } = this.candidate;
    const response = await fetch(`${apiUrl}/v1/request/query-clickhouse`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ filter: { request_response_rmt: { request_id: { equals: requestId } } }, limit: 1 }),
    }).catch(() => null);
    const answer: unknown = await response?.json().catch(() => null);
    return typeof answer === 'object' && answer !== null && 'data' in answer && Array.isArray(answer.data) && answer.data.length > 0;
  }
}
