import { z } from '@hono/zod-openapi';

/** OpenTelemetry describes the message; its own document is the reference. */
export const exportTraceSchema = z
  .looseObject({ resourceSpans: z.array(z.looseObject({})).optional() })
  .openapi('ExportTraceServiceRequest', { description: 'As opentelemetry-proto defines it, in the JSON encoding of OTLP.' });

export const exportLogsSchema = z
  .looseObject({ resourceLogs: z.array(z.looseObject({})).optional() })
  .openapi('ExportLogsServiceRequest', { description: 'As opentelemetry-proto defines it, in the JSON encoding of OTLP.' });

export const exportMetricsSchema = z
  .looseObject({ resourceMetrics: z.array(z.looseObject({})).optional() })
  .openapi('ExportMetricsServiceRequest', { description: 'As opentelemetry-proto defines it, in the JSON encoding of OTLP.' });

export const exportAcceptedSchema = z.object({}).openapi('ExportAccepted', { description: 'Empty: all was accepted.' });

export const exportTraceAnswerSchema = z
  .object({
    partialSuccess: z
      .object({
        rejectedSpans: z.string().openapi({ description: 'How many spans were not taken, a whole number as text.' }),
        errorMessage: z.string().openapi({ description: 'Each reason, with the number of spans that it holds for.' }),
      })
      .optional()
      .openapi({ description: 'Absent when all were taken.' }),
  })
  .openapi('ExportTraceServiceResponse');

export const exportLogsAnswerSchema = z
  .object({
    partialSuccess: z
      .object({
        rejectedLogRecords: z.string().openapi({ description: 'How many records were not read, a whole number as text.' }),
        errorMessage: z.string().openapi({ description: 'Each reason, with the number of records that it holds for.' }),
      })
      .optional()
      .openapi({ description: 'Absent when all were read.' }),
  })
  .openapi('ExportLogsServiceResponse');

export const exportTraceFailureSchema = z
  .object({ code: z.number().openapi({ description: 'A code of gRPC; always 3.' }), message: z.string() })
  .openapi('Status', { description: '`google.rpc.Status`, in the encoding of the request.' });
