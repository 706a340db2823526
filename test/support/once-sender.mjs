/**
 * Makes calls of Anthropic's client, whose own spans and those of an instrumentation are exported beside the call: `node once-sender.mjs
 * PROCESSOR WAY...`. `PROVIDER_URL` is the gateway or the provider itself, `GATEWAY_KEY` is sent to the gateway.
 */
import Anthropic from '@anthropic-ai/sdk';
import { AnthropicInstrumentation } from '@arizeai/openinference-instrumentation-anthropic';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, BatchSpanProcessor, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { messagesBody, whole } from './sender-calls.mjs';

const [processor = '', ...ways] = process.argv.slice(2);
const exporter = new OTLPTraceExporter();
const provider = new BasicTracerProvider({
  spanProcessors: [processor === 'simple' ? new SimpleSpanProcessor(exporter) : new BatchSpanProcessor(exporter)],
});
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(provider);
if (ways.includes('instrumented')) {
  const instrumentation = new AnthropicInstrumentation();
  instrumentation.setTracerProvider(provider);
  instrumentation.manuallyInstrument(Anthropic);
}

const key = process.env['GATEWAY_KEY'];
const client = new Anthropic({
  baseURL: process.env['PROVIDER_URL'] ?? '',
  apiKey: 'sk-of-the-provider',
  maxRetries: 0,
  defaultHeaders: key === undefined ? {} : { 'svc-auth': `Bearer ${key}` },
});

/** @type {Readonly<Record<string, () => Promise<unknown>>>} */
const calls = {
  create: () => whole(() => client.messages.create(messagesBody('chat'))),
  tools: () => whole(() => client.messages.create(messagesBody('tools'))),
  stream: () => whole(() => client.messages.create(messagesBody('stream'))),
  helper: () => client.messages.stream(messagesBody('chat')).finalMessage(),
};

await trace
  .getTracer('application')
  .startActiveSpan('answer', { attributes: { 'session.id': process.env['SESSION'] ?? '' } }, async (span) => {
    for (const way of ways) await calls[way]?.();
    span.end();
  });
await provider.forceFlush();
await provider.shutdown();
