import { setTimeout as sleep } from 'node:timers/promises';
import { settledStoredCount } from '../gateway/stored-count.ts';
import type { GatelogCandidate } from '../peers/candidate.ts';
import type { Call } from './burst.ts';

/** One entry of a history, as the API shows it. */
interface Entry {
  readonly name: string;
  readonly old: string | null;
  readonly new: string;
}

interface Item {
  readonly request_id: string;
  readonly properties: Readonly<Record<string, string>>;
}

const historyPage = 1000;
const pollMs = 100;
const readyTimeoutMs = 60_000;

/** Stored requests, with the changes made to them so far. */
export class RecordedRequests {
  private readonly service: GatelogCandidate;
  private readonly ids: readonly string[];
  /** Values by request and name, oldest first. */
  private readonly acknowledged = new Map<string, Map<string, string[]>>();

  private constructor(service: GatelogCandidate, ids: readonly string[]) {
    this.service = service;
    this.ids = ids;
  }

  /** Calls the gateway's echo provider `count` times, and waits until all calls are stored. */
  static async make(service: GatelogCandidate, count: number): Promise<RecordedRequests> {
    await untilApiReady(service);
    const ids = await Promise.all(
      Array.from({ length: count }, async () => {
        const response = await fetch(`http://127.0.0.1:${service.port}/v1/chat/completions`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${service.apiKey}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ model: 'echo/echo-1', messages: [{ role: 'user', content: 'How are you?' }] }),
        });
        await response.arrayBuffer();
        return response.headers.get('svc-id') ?? '';
      }),
    );
    const stored = await settledStoredCount(service, count);
    if (stored !== count) throw new Error(`${String(stored)} of ${count} requests were stored.`);
    return new RecordedRequests(service, ids);
  }

  /** Changes one property of each request. */
  changesOfDistinct(name: string, value: string): readonly Call[] {
    return this.ids.map((_, index) => this.change(index, name, `${value} of ${index}`));
  }

  /** Changes as many properties of the first request. */
  changesOfSame(value: string): readonly Call[] {
    return this.ids.map((_, index) => this.change(0, `name-${index}`, value));
  }

  /** Compares a later read with the acknowledged changes. @returns the number of lost values. */
  async countLostValues(): Promise<number> {
    const { data } = await this.request<{ data: readonly Item[] }>('/v1/request/query-clickhouse', { filter: 'all', limit: 1000 });
    const shown = new Map(data.map(({ request_id, properties }) => [request_id, properties]));
    let lost = 0;
    for (const [id, byName] of this.acknowledged) {
      for (const [name, values] of byName) if (shown.get(id)?.[name] !== values.at(-1)) lost += 1;
    }
    return lost;
  }

  /**
   * Compares the histories with the acknowledged changes: each value once, after the one before it. @returns the number of lost or wrong
   * entries.
   */
  async countLostEntries(): Promise<number> {
    let lost = 0;
    for (const [id, byName] of this.acknowledged) {
      const history = await this.historyOf(id);
      const expected = [...byName].flatMap(([name, values]) =>
        values.map((value, index) => textOf(name, values[index - 1] ?? null, value)),
      );
      const found = new Set(history.map((entry) => textOf(entry.name, entry.old, entry.new)));
      lost += expected.filter((text) => !found.has(text)).length + Math.abs(history.length - expected.length);
    }
    return lost;
  }

  private async historyOf(id: string): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    for (;;) {
      const page = await this.request<{ data: readonly Entry[] }>(
        `/v1/request/${id}/changes?limit=${historyPage}&offset=${entries.length}`,
      );
      entries.push(...page.data);
      if (page.data.length < historyPage) return entries;
    }
  }

  private change(index: number, name: string, value: string): Call {
    const id = this.ids[index] ?? '';
    const byName = this.acknowledged.get(id) ?? new Map<string, string[]>();
    this.acknowledged.set(id, byName.set(name, [...(byName.get(name) ?? []), value]));
    return { method: 'PUT', path: `/v1/request/${id}/property`, body: { [name]: value } };
  }

  private async request<Answer>(path: string, body?: unknown): Promise<Answer> {
    const { apiUrl, apiKey } = this.service;
    const response = await fetch(`${apiUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.status !== 200) throw new Error(`${path} was answered ${response.status}.`);
    return (await response.json()) as Answer;
  }
}

function textOf(name: string, old: string | null, value: string): string {
  return JSON.stringify([name, old, value]);
}

/** The gateway may be ready before the API; only the gateway is awaited at the start. */
async function untilApiReady({ apiUrl }: GatelogCandidate): Promise<void> {
  const deadlineMs = performance.now() + readyTimeoutMs;
  while (performance.now() < deadlineMs) {
    const response = await fetch(`${apiUrl}/readyz`).catch(() => null);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await sleep(pollMs);
  }
  throw new Error(`${apiUrl} was not ready within ${readyTimeoutMs / 1000} s.`);
}
