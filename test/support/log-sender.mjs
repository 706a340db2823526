/** Tells of one call as OpenTelemetry's own instrumentations do: counts on a span, and what was said in log records. */
import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())] });
const exporter = /** @type {import('@opentelemetry/sdk-logs').LogRecordExporter} */ (/** @type {unknown} */ (new OTLPLogExporter()));
const logging = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
const attributes = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.response.model': 'gpt-4o-2024-08-06',
  'gen_ai.usage.input_tokens': 1830,
  'gen_ai.usage.output_tokens': 17,
};
const span = tracing.getTracer('openai').startSpan('chat gpt-4o', { attributes });
const context = trace.setSpan(ROOT_CONTEXT, span);
const logger = logging.getLogger('openai');
logger.emit({ context, eventName: 'gen_ai.user.message', body: { content: 'When does the harbour open?' } });
const message = { role: 'assistant', content: 'At six.' };
logger.emit({ context, eventName: 'gen_ai.choice', body: { index: 0, finish_reason: 'stop', message } });
span.end();
await logging.shutdown();
await tracing.shutdown();
