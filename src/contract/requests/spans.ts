import { z } from 'zod';

/** OpenTelemetry describes the message; its own document is the reference. */
export const exportTraceSchema = z
  .looseObject({ resourceSpans: z.array(z.looseObject({})).optional() })
  .meta({ id: 'ExportTraceServiceRequest', description: 'As opentelemetry-proto defines it, in the JSON encoding of OTLP.' });

export const exportLogsSchema = z
  .looseObject({ resourceLogs: z.array(z.looseObject({})).optional() })
  .meta({ id: 'ExportLogsServiceRequest', description: 'As opentelemetry-proto defines it, in the JSON encoding of OTLP.' });

export const exportMetricsSchema = z
  .looseObject({ resourceMetrics: z.array(z.looseObject({})).optional() })
  .meta({ id: 'ExportMetricsServiceRequest', description: 'As opentelemetry-proto defines it, in the JSON encoding of OTLP.' });

export const exportAcceptedSchema = z.object({}).meta({ id: 'ExportAccepted', description: 'Empty: all was accepted.' });

export const exportTraceAnswerSchema = z
  .object({
    partialSuccess: z
      .object({
        rejectedSpans: z.string().meta({ description: 'How many spans were not taken, a whole number as text.' }),
        errorMessage: z.string().meta({ description: 'Each reason, with the number of spans that it holds for.' }),
      })
      .optional()
      .meta({ description: 'Absent when all were taken.' }),
  })
  .meta({ id: 'ExportTraceServiceResponse' });

export const exportLogsAnswerSchema = z
  .object({
    partialSuccess: z
      .object({
        rejectedLogRecords: z.string().meta({ description: 'How many records were not read, a whole number as text.' }),
        errorMessage: z.string().meta({ description: 'Each reason, with the number of records that it holds for.' }),
      })
      .optional()
      .meta({ description: 'Absent when all were read.' }),
  })
  .meta({ id: 'ExportLogsServiceResponse' });

export const exportTraceFailureSchema = z
  .object({ code: z.number().meta({ description: 'A code of gRPC; always 3.' }), message: z.string() })
  .meta({ id: 'Status', description: '`google.rpc.Status`, in the encoding of the request.' });
