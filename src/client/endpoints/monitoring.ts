/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Health } from '../types/monitoring.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface MonitoringEndpoints {
  readonly 'GET /healthz': {
    readonly whole: Health;
  };
  readonly 'GET /readyz': {
    readonly whole: Health;
  };
  readonly 'GET /openapi.json': {
    readonly whole: {
      readonly openapi: string;
    };
  };
  readonly 'GET /metrics': {
    readonly stream: string;
  };
}
