/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */

/** A call that did not pass through the gateway. */
export interface Log {
  readonly providerRequest: {
    /** The address of the call; `custom-model-nopath` where there is none. */
    readonly url: string;
    /** The body of the request. */
    readonly json?: unknown;
    /** Tagging headers, such as `Svc-Property-Team` or `Helicone-User-Id`, as for a call through the gateway. */
    readonly meta?: Readonly<Record<string, string | number | boolean>> | undefined;
  };
  readonly providerResponse: {
    /** The body of the response. */
    readonly json?: unknown;
    /** The text of the response instead: of a stream as it came, or its events as JSON by line. */
    readonly textBody?: string | undefined;
    /** The HTTP status; Helicone’s -3 means that the client left, other negative ones no response. */
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    /** US dollars, where the sender knows them. */
    readonly cost?: number | undefined;
  };
  /** Absent: the call was now, and its latency is not known. */
  readonly timing?: {
    readonly startTime: LogTime;
    readonly endTime: LogTime;
    /** Milliseconds since the start. */
    readonly timeToFirstToken?: number | undefined;
  } | undefined;
  /** The provider by its name in records, where the address does not tell it, such as `OPENAI`. */
  readonly provider?: string | undefined;
}

/** Unix seconds and milliseconds beside them, ISO 8601, or Unix milliseconds; a number below 4102444800 is Unix seconds. */
export type LogTime = {
  readonly seconds: number;
  readonly milliseconds?: number | undefined;
} | string | number;

/** The call is durable. */
export interface LogAnswer {
  /** Identifier of the request: that of `Svc-Request-Id`, else a fresh one. `svc-id` has it too. */
  readonly request_id: string;
}

/** As opentelemetry-proto defines it, in the JSON encoding of OTLP. */
export interface ExportTraceServiceRequest {
  readonly resourceSpans?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

export interface ExportTraceServiceResponse {
  /** Absent when all were taken. */
  readonly partialSuccess?: {
    /** How many spans were not taken, a whole number as text. */
    readonly rejectedSpans: string;
    /** Each reason, with the number of spans that it holds for. */
    readonly errorMessage: string;
  } | undefined;
}

/** As opentelemetry-proto defines it, in the JSON encoding of OTLP. */
export interface ExportLogsServiceRequest {
  readonly resourceLogs?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

export interface ExportLogsServiceResponse {
  /** Absent when all were read. */
  readonly partialSuccess?: {
    /** How many records were not read, a whole number as text. */
    readonly rejectedLogRecords: string;
    /** Each reason, with the number of records that it holds for. */
    readonly errorMessage: string;
  } | undefined;
}

/** As opentelemetry-proto defines it, in the JSON encoding of OTLP. */
export interface ExportMetricsServiceRequest {
  readonly resourceMetrics?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** Empty: all was accepted. */
export type ExportAccepted = Readonly<Record<string, never>>;
