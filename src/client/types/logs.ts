/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */

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
