/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { ExportTraceServiceRequest, ExportTraceServiceResponse } from '../types/logs.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface LogsEndpoints {
  readonly 'POST /v1/otlp/v1/traces': {
    readonly body: ExportTraceServiceRequest;
    readonly whole: ExportTraceServiceResponse;
  };
  readonly 'POST /v1/trace/log': {
    readonly body: ExportTraceServiceRequest;
    readonly whole: ExportTraceServiceResponse;
  };
  readonly 'POST /v1/trace/log-python': {
    readonly body: ExportTraceServiceRequest;
    readonly whole: ExportTraceServiceResponse;
  };
}
