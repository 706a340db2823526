import {
  exportAcceptedSchema,
  exportLogsAnswerSchema,
  exportLogsSchema,
  exportMetricsSchema,
  exportTraceAnswerSchema,
  exportTraceFailureSchema,
  exportTraceSchema,
} from '../../contract/requests/spans.ts';
import { besideSpans, type Signal, spanPaths } from '../../model/vocabulary/log-paths.ts';
import { rawEndpoint, type RequestContext } from '../endpoint/endpoint.ts';
import { jsonContent } from '../http/declared-responses.ts';
import { rawHeadersOf } from '../http/raw-headers.ts';

const exampleSpans = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'checkout' } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
              spanId: '00f067aa0ba902b7',
              name: 'chat gpt-4.1-mini',
              startTimeUnixNano: '1769860800000000000',
              endTimeUnixNano: '1769860801500000000',
              attributes: [
                { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
                { key: 'gen_ai.provider.name', value: { stringValue: 'openai' } },
                { key: 'gen_ai.request.model', value: { stringValue: 'gpt-4.1-mini' } },
                { key: 'gen_ai.usage.input_tokens', value: { intValue: '12' } },
                { key: 'gen_ai.usage.output_tokens', value: { intValue: '3' } },
              ],
            },
          ],
        },
      ],
    },
  ],
};

const protobuf = { 'application/x-protobuf': { schema: { type: 'string', format: 'binary' } } } as const;

const descriptions = {
  '/v1/otlp/v1/traces': {
    id: 'takeSpans',
    example: exampleSpans,
    summary: 'Take spans of OpenTelemetry',
    text: 'OTLP over HTTP, in protobuf or JSON, with or without gzip; the gateway takes the same. Spans of model calls, tools and searches become requests once they are durable; docs/guides/opentelemetry.md says what each attribute becomes. The same span again adds nothing. Tagging headers (`Svc-Property-<Name>`, `Svc-User-Id`, `Svc-Session-Id`, …) hold for each span that does not tell another. Takes a key with the permission `w`, `rw` or `admin`, as `Authorization: Bearer`, `Svc-Auth`, `Helicone-Auth` or `x-api-key`.',
  },
  '/v1/trace/log': {
    id: 'takeAsyncSpans',
    example: exampleSpans,
    summary: 'Take spans of Helicone’s asynchronous logger',
    text: 'The same as `POST /v1/otlp/v1/traces`, at the path to which Helicone’s loggers send.',
  },
  '/v1/trace/log-python': {
    id: 'takePythonSpans',
    example: exampleSpans,
    summary: 'Take spans of Helicone’s asynchronous logger in Python',
    text: 'The same as `POST /v1/otlp/v1/traces`, at the path to which Helicone’s loggers send.',
  },
} as const;

const failureSentences = {
  400: 'The body is no such message, or is cut off.',
  413: 'The body is over the limit, GATELOG_OTLP_MAX_BYTES when decompressed.',
  415: 'The body is neither protobuf nor JSON, or is compressed by something else than gzip.',
  422: 'A header of ours has no valid value.',
} as const;

function failures(...statuses: readonly (keyof typeof failureSentences)[]) {
  const content = { ...jsonContent(exportTraceFailureSchema), ...protobuf };
  return Object.fromEntries(statuses.map((status) => [status, { description: failureSentences[status], content }]));
}

const spansAlone = spanPaths.map((path) =>
  rawEndpoint({
    at: `POST ${path}`,
    ...descriptions[path],
    action: 'send',
    content: { ...jsonContent(exportTraceSchema), ...protobuf },
    answer: {
      description: 'All calls among the spans are durable, but for those that `partialSuccess` counts.',
      content: { ...jsonContent(exportTraceAnswerSchema), ...protobuf },
    },
    failures: failures(400, 413, 415, 422),
    respond: (call) => answer(call, 'spans'),
  }),
);

const beside = {
  '/v1/otlp/v1/logs': {
    id: 'takeLogRecords',
    example: {
      resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano: '1769860800000000000', body: { stringValue: 'started' } }] }] }],
    },
    schema: exportLogsSchema,
    accepted: exportLogsAnswerSchema,
    summary: 'Take log records of OpenTelemetry',
    text: 'By the same rules as `POST /v1/otlp/v1/traces`. Records that tell what a call of a model said (`gen_ai.user.message`, `gen_ai.choice`, `gen_ai.client.inference.operation.details`, …) fill the bodies of their span’s request where these lack it, whether they come before or after the span. Others are counted (`gatelog_otlp_not_recorded_total`) and not kept.',
    success: 'What the records tell of calls is durable, but for those that `partialSuccess` counts.',
  },
  '/v1/otlp/v1/metrics': {
    id: 'takeMetrics',
    example: {
      resourceMetrics: [
        {
          scopeMetrics: [{ metrics: [{ name: 'jobs', gauge: { dataPoints: [{ timeUnixNano: '1769860800000000000', asInt: '3' }] } }] }],
        },
      ],
    },
    schema: exportMetricsSchema,
    accepted: exportAcceptedSchema,
    summary: 'Accept metrics of OpenTelemetry',
    text: 'By the same rules as `POST /v1/otlp/v1/traces`, so that exporters which send them by default find no error. They are counted (`gatelog_otlp_not_recorded_total`) and not kept: requests are made of spans.',
    success: 'Accepted.',
  },
} as const;

const sentBesideSpans = (['/v1/otlp/v1/logs', '/v1/otlp/v1/metrics'] as const).map((path) => {
  const { schema, accepted, success, ...described } = beside[path];
  return rawEndpoint({
    at: `POST ${path}`,
    ...described,
    action: 'send',
    content: { ...jsonContent(schema), ...protobuf },
    answer: { description: success, content: { ...jsonContent(accepted), ...protobuf } },
    failures: failures(400, 413, 415, 422),
    respond: (call) => answer(call, besideSpans[path]),
  });
});

export const spans = [...spansAlone, ...sentBesideSpans];

async function answer({ context, principal, ports }: RequestContext, holds: Signal): Promise<Response> {
  const body = Buffer.from(await context.req.arrayBuffer());
  const { signal } = context.req.raw;
  const taken = await ports.takeSpans(principal, { holds, rawHeaders: rawHeadersOf(context), body, signal });
  return new Response(new Uint8Array(taken.body), {
    status: taken.status,
    headers: {
      'content-type': taken.contentType,
      ...(taken.retryAfterSeconds === undefined ? {} : { 'retry-after': String(taken.retryAfterSeconds) }),
    },
  });
}
