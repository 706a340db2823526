/**
 * Makes one call of a model under an instrumentation and sends its spans, as an application would: `node otlp-sender.mjs NAME`. The
 * environment says where to: `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` and the
 * other variables of OpenTelemetry; `PROVIDER_URL` has OpenAI's API.
 */
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, BatchSpanProcessor, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import OpenAI from 'openai';

const baseURL = process.env['PROVIDER_URL'] ?? '';
/** @type {import('openai/resources').ChatCompletionMessageParam[] & import('ai').ModelMessage[]} */
const messages = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: 'Why is the sky blue?' },
];
const session = { sessionId: 'session-1', userId: 'ada' };

/** @param {import('@opentelemetry/sdk-trace-base').SpanProcessor} processor */
function start(processor) {
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  return provider;
}

/** As most set-ups do: in the background. */
function batched() {
  return new BatchSpanProcessor(new ProtobufExporter());
}

/**
 * Calls within a span of the application.
 * @param {string} name
 * @param {() => Promise<unknown>} call
 */
async function within(name, call) {
  await trace.getTracer('application').startActiveSpan(name, async (span) => {
    try {
      await call();
    } finally {
      span.end();
    }
  });
}

async function chat(client = new OpenAI({ baseURL, apiKey: 'sk-of-the-provider' })) {
  await client.chat.completions.create({ model: 'gpt-4o-mini', messages, temperature: 0.5 });
}

/** @type {Readonly<Record<string, () => Promise<BasicTracerProvider>>>} */
const senders = {
  OpenLLMetry: async () => {
    const { OpenAIInstrumentation } = await import('@traceloop/instrumentation-openai');
    const provider = start(batched());
    const instrumentation = new OpenAIInstrumentation();
    instrumentation.setTracerProvider(provider);
    instrumentation.manuallyInstrument(OpenAI);
    await within('answer', () => chat());
    return provider;
  },
  OpenInference: async () => {
    const { OpenAIInstrumentation } = await import('@arizeai/openinference-instrumentation-openai');
    const { setSession, setUser } = await import('@arizeai/openinference-core');
    const provider = start(batched());
    const instrumentation = new OpenAIInstrumentation();
    instrumentation.setTracerProvider(provider);
    instrumentation.manuallyInstrument(OpenAI);
    await context.with(setUser(setSession(context.active(), session), session), () => within('answer', () => chat()));
    return provider;
  },
  Langfuse: async () => {
    const { LangfuseSpanProcessor } = await import('@langfuse/otel');
    const { propagateAttributes, startActiveObservation } = await import('@langfuse/tracing');
    const { observeOpenAI } = await import('@langfuse/openai');
    const provider = start(new LangfuseSpanProcessor({ exporter: new JsonExporter(), publicKey: 'pk', secretKey: 'sk' }));
    const client = observeOpenAI(new OpenAI({ baseURL, apiKey: 'sk-of-the-provider' }));
    const attributes = { ...session, traceName: 'answers', metadata: { team: 'search' }, tags: ['a', 'b'] };
    await propagateAttributes(attributes, () => startActiveObservation('answer', () => chat(client)));
    return provider;
  },
  'AI SDK': aiSdk,
};

async function aiSdk() {
  const { generateText } = await import('ai');
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = start(new SimpleSpanProcessor(new JsonExporter()));
  const model = createOpenAICompatible({ name: 'openai', baseURL, apiKey: 'sk-of-the-provider' })('gpt-4o-mini');
  const metadata = { ...session, team: 'search' };
  const experimental_telemetry = { isEnabled: true, functionId: 'answer', metadata, tracer: trace.getTracer('ai') };
  await within('answer', () => generateText({ model, messages, temperature: 0.5, experimental_telemetry }));
  return provider;
}

const provider = await senders[process.argv[2] ?? '']?.();
await provider?.forceFlush();
await provider?.shutdown();
