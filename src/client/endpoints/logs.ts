/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { ExportAccepted, ExportLogsServiceRequest, ExportLogsServiceResponse, ExportMetricsServiceRequest, ExportTraceServiceRequest, ExportTraceServiceResponse, Log, LogAnswer } from '../types/logs.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface LogsEndpoints {
  readonly 'POST /v1/trace/custom/log': {
    readonly body: Log;
    readonly data: LogAnswer;
  };
  readonly 'POST /v1/trace/custom/v1/log': {
    readonly body: Log;
    readonly data: LogAnswer;
  };
  readonly 'POST /v1/trace/custom/log/typed': {
    readonly body: Log;
    readonly data: LogAnswer;
  };
  readonly 'POST /custom/v1/log': {
    readonly body: Log;
    readonly data: LogAnswer;
  };
  readonly 'POST /oai/v1/log': {
    readonly body: Log;
    readonly data: LogAnswer;
  };
  readonly 'POST /anthropic/v1/log': {
    readonly body: Log;
    readonly data: LogAnswer;
  };
  readonly 'POST /googleapis/v1/log': {
    readonly body: Log;
    readonly data: LogAnswer;
  };
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
  readonly 'POST /v1/otlp/v1/logs': {
    readonly body: ExportLogsServiceRequest;
    readonly whole: ExportLogsServiceResponse;
  };
  readonly 'POST /v1/otlp/v1/metrics': {
    readonly body: ExportMetricsServiceRequest;
    readonly whole: ExportAccepted;
  };
}
