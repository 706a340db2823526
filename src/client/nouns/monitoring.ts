import type { CallOptions, Connection } from '../connection/connection.ts';
import type { Health } from '../types/monitoring.ts';

/** How the service itself is; it needs no key. */
export class Monitoring {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Whether the process is alive. */
  health(options: CallOptions = {}): Promise<Health> {
    return this.connection.whole('GET /healthz', options);
  }

  /** Whether the store answers and records are stored; an answer of `unavailable` is none of failure. */
  readiness(options: CallOptions = {}): Promise<Health> {
    return this.connection.whole('GET /readyz', options, 503);
  }

  /** The OpenAPI document. */
  document(options: CallOptions = {}): Promise<Readonly<Record<string, unknown>> & { readonly openapi: string }> {
    return this.connection.whole('GET /openapi.json', options);
  }

  /** The figures for Prometheus, as text. */
  async prometheus(options: CallOptions = {}): Promise<string> {
    const response = await this.connection.open('GET /metrics', options);
    return response.text();
  }
}
