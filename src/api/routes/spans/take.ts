import {
  exportAcceptedSchema,
  exportLogsAnswerSchema,
  exportLogsSchema,
  exportMetricsSchema,
  exportTraceAnswerSchema,
  exportTraceFailureSchema,
  exportTraceSchema,
} from '../../../contract/requests/spans.ts';
import { besideSpans, type Signal, spanPaths } from '../../../model/vocabulary/log-paths.ts';
import { type Endpoint, jsonContent, keyRequired, problems, type RequestContext } from '../../endpoint.ts';
import { rawHeadersOf } from '../logs/raw-headers.ts';

const protobuf = { 'application/x-protobuf': { schema: { type: 'string', format: 'binary' } } } as const;

const descriptions = {
  '/v1/otlp/v1/traces': {
    operationId: 'takeSpans',
    summary: 'Take spans of OpenTelemetry',
    description:
      'OTLP over HTTP, in protobuf or JSON, with or without gzip; the gateway takes the same. Spans of model calls, tools and searches become requests once they are durable; docs/guides/opentelemetry.md says what each attribute becomes. The same span again adds nothing. Tagging headers (`Svc-Property-<Name>`, `Svc-User-Id`, `Svc-Session-Id`, …) hold for each span that does not tell another. Takes a key with the permission `w`, `rw` or `admin`, as `Authorization: Bearer`, `Svc-Auth`, `Helicone-Auth` or `x-api-key`.',
  },
  '/v1/trace/log': {
    operationId: 'takeAsyncSpans',
    summary: 'Take spans of Helicone’s asynchronous logger',
    description: 'The same as `POST /v1/otlp/v1/traces`, at the path to which Helicone’s loggers send.',
  },
  '/v1/trace/log-python': {
    operationId: 'takePythonSpans',
    summary: 'Take spans of Helicone’s asynchronous logger in Python',
    description: 'The same as `POST /v1/otlp/v1/traces`, at the path to which Helicone’s loggers send.',
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

const takeSpansAlone: readonly Endpoint[] = spanPaths.map((path) => ({
  declaration: {
    method: 'post',
    path,
    ...descriptions[path],
    security: keyRequired,
    request: { body: { required: true, content: { ...jsonContent(exportTraceSchema), ...protobuf } } },
    responses: {
      ...problems(),
      200: {
        description: 'All calls among the spans are durable, but for those that `partialSuccess` counts.',
        content: { ...jsonContent(exportTraceAnswerSchema), ...protobuf },
      },
      ...failures(400, 413, 415, 422),
    },
  },
  action: 'send',
  handle: (request) => answer(request, 'spans'),
}));

const beside = {
  '/v1/otlp/v1/logs': {
    operationId: 'takeLogRecords',
    schema: exportLogsSchema,
    answer: exportLogsAnswerSchema,
    summary: 'Take log records of OpenTelemetry',
    description:
      'By the same rules as `POST /v1/otlp/v1/traces`. Records that tell what a call of a model said (`gen_ai.user.message`, `gen_ai.choice`, `gen_ai.client.inference.operation.details`, …) fill the bodies of their span’s request where these lack it, whether they come before or after the span. Others are counted (`gatelog_otlp_not_recorded_total`) and not kept.',
    success: 'What the records tell of calls is durable, but for those that `partialSuccess` counts.',
  },
  '/v1/otlp/v1/metrics': {
    operationId: 'takeMetrics',
    schema: exportMetricsSchema,
    answer: exportAcceptedSchema,
    summary: 'Accept metrics of OpenTelemetry',
    description:
      'By the same rules as `POST /v1/otlp/v1/traces`, so that exporters which send them by default find no error. They are counted (`gatelog_otlp_not_recorded_total`) and not kept: requests are made of spans.',
    success: 'Accepted.',
  },
} as const;

const takeBesideSpans: readonly Endpoint[] = (['/v1/otlp/v1/logs', '/v1/otlp/v1/metrics'] as const).map((path) => ({
  declaration: {
    method: 'post',
    path,
    operationId: beside[path].operationId,
    summary: beside[path].summary,
    description: beside[path].description,
    security: keyRequired,
    request: { body: { required: true, content: { ...jsonContent(beside[path].schema), ...protobuf } } },
    responses: {
      ...problems(),
      200: { description: beside[path].success, content: { ...jsonContent(beside[path].answer), ...protobuf } },
      ...failures(400, 413, 415, 422),
    },
  },
  action: 'send',
  handle: (request) => answer(request, besideSpans[path]),
}));

export const takeSpans: readonly Endpoint[] = [...takeSpansAlone, ...takeBesideSpans];

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
