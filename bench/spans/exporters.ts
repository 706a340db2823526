import { Agent, request } from 'node:http';
import type { GatelogCandidate } from '../peers/candidate.ts';
import type { Batches } from './batches.ts';

/** What exporters sent in a time, and how long each request took. */
export interface ExportResult {
  readonly requests: number;
  readonly spans: number;
  readonly calls: number;
  readonly bytes: number;
  readonly elapsedMs: number;
  /** From sending a request to the end of its response, milliseconds. */
  readonly times: readonly number[];
  readonly failures: readonly string[];
}

export interface ExportOptions {
  readonly exporters: number;
  readonly durationMs: number;
  /** Of all exporters together; undefined: as fast as they are answered. */
  readonly spansPerSecond?: number | undefined;
}

/** Exporters that send one request after the other, each over a connection of its own. */
export async function runExporters(service: GatelogCandidate, batches: Batches, options: ExportOptions): Promise<ExportResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.exporters });
  const startedAt = performance.now();
  const times: number[] = [];
  const failures: string[] = [];
  const pauseMs = options.spansPerSecond === undefined ? 0 : (batches.spans * options.exporters * 1000) / options.spansPerSecond;
  const run = async (): Promise<void> => {
    for (let dueAt = startedAt; performance.now() - startedAt < options.durationMs; dueAt += pauseMs) {
      await until(dueAt);
      const sentAt = performance.now();
      const status = await send(service, agent, batches.next());
      if (status === 200) times.push(performance.now() - sentAt);
      else failures.push(`a request was answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: options.exporters }, run));
  agent.destroy();
  const requests = times.length;
  return {
    requests,
    spans: requests * batches.spans,
    calls: requests * batches.calls,
    bytes: requests * batches.bytes,
    elapsedMs: performance.now() - startedAt,
    times,
    failures,
  };
}

async function until(at: number): Promise<void> {
  const waitMs = at - performance.now();
  if (waitMs > 0) {
    await new Promise((resolve) => {
      setTimeout(resolve, waitMs);
    });
  }
}

function send({ port, apiKey }: GatelogCandidate, agent: Agent, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/x-protobuf', 'content-length': body.length };
    const sent = request({ host: '127.0.0.1', port, path: '/v1/otlp/v1/traces', method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
