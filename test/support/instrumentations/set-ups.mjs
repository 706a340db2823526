/** How each instrumentation is set up by an application, as its documents say. */
import { existsSync } from 'node:fs';
import {
  agentsCalls,
  aiSdkCalls,
  anthropicCalls,
  anthropicClient,
  langChainCalls,
  load,
  mastraCalls,
  openAiCalls,
  openAiClient,
} from './calls.mjs';

/** @typedef {{ calls: import('./calls.mjs').Calls, flush: () => Promise<void> }} Ready */

const isSimple = process.env['PROCESSOR'] === 'simple';
const endpoint = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
const headers = Object.fromEntries((process.env['OTEL_EXPORTER_OTLP_HEADERS'] ?? '').split(',').map((pair) => pair.split('=')));

/** The SDK of spans: its third generation has other names. */
async function sdk() {
  // The project above has the second generation too.
  if (existsSync('node_modules/@opentelemetry/sdk-trace-base')) {
    const second = await load('@opentelemetry/sdk-trace-base');
    return { ...second, Provider: second.BasicTracerProvider };
  }
  const third = await load('@opentelemetry/sdk-trace');
  return { ...third, Provider: third.TracerProvider };
}

/**
 * @param {unknown} exporter
 * @param {any} Simple
 * @param {any} Batch
 */
async function ofKind(exporter, Simple, Batch) {
  const Processor = isSimple ? Simple : Batch;
  const { TracerProvider } = await sdk();
  return new Processor(TracerProvider === undefined ? exporter : { exporter });
}

async function processor() {
  const { BatchSpanProcessor, SimpleSpanProcessor } = await sdk();
  const { OTLPTraceExporter } = await load('@opentelemetry/exporter-trace-otlp-proto');
  return ofKind(new OTLPTraceExporter(), SimpleSpanProcessor, BatchSpanProcessor);
}

/**
 * Starts a provider of spans and makes it the global one.
 * @param {any} [first] instead of the usual processor
 */
async function start(first) {
  const { context, propagation, trace } = await load('@opentelemetry/api');
  const { AsyncLocalStorageContextManager } = await load('@opentelemetry/context-async-hooks');
  const { W3CTraceContextPropagator } = await load('@opentelemetry/core');
  const { Provider } = await sdk();
  const provider = new Provider({ spanProcessors: [first ?? (await processor())] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  await instrumentTransport(provider);
  return { provider, flush: () => provider.forceFlush().then(() => provider.shutdown()) };
}

/** @param {any} provider */
async function instrumentTransport(provider) {
  if (process.env['PROPAGATES'] === undefined) return;
  const { UndiciInstrumentation } = await load('@opentelemetry/instrumentation-undici');
  const instrumentation = new UndiciInstrumentation({
    // What exporters send is no call.
    ignoreRequestHook: (/** @type {{ path: string }} */ { path }) => path.includes('/otlp/'),
  });
  instrumentation.setTracerProvider(provider);
}

/**
 * @param {any} instrumentation
 * @param {any} provider
 * @param {unknown} module what it instruments
 */
function instrument(instrumentation, provider, module) {
  instrumentation.setTracerProvider(provider);
  instrumentation.manuallyInstrument(module);
}

/** @param {Record<string, unknown>} instrumentations */
async function openLit(instrumentations) {
  const {
    default: { default: openlit },
  } = await load('openlit');
  const { trace } = await load('@opentelemetry/api');
  // Without prices of its own it fetches some.
  openlit.init({ applicationName: 'shop', disableBatch: isSimple, disableMetrics: true, pricingJson: {}, instrumentations });
  const provider = trace.getTracerProvider().getDelegate();
  await instrumentTransport(provider);
  return { flush: () => provider.forceFlush().then(() => provider.shutdown()) };
}

/** @type {Readonly<Record<string, () => Promise<Ready>>>} */
export const setUps = {
  'anthropic-own': async () => {
    process.env['ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE'] = 'content';
    const { default: Anthropic } = await load('@anthropic-ai/sdk');
    const { flush } = await start();
    return { calls: anthropicCalls(anthropicClient(Anthropic)), flush };
  },
  'traceloop-openai': async () => {
    const { OpenAIInstrumentation } = await load('@traceloop/instrumentation-openai');
    const { default: OpenAI } = await load('openai');
    const { provider, flush } = await start();
    instrument(new OpenAIInstrumentation(), provider, OpenAI);
    return { calls: openAiCalls(openAiClient(OpenAI)), flush };
  },
  'traceloop-anthropic': async () => {
    const { AnthropicInstrumentation } = await load('@traceloop/instrumentation-anthropic');
    const module = await load('@anthropic-ai/sdk');
    const { provider, flush } = await start();
    instrument(new AnthropicInstrumentation(), provider, module);
    return { calls: anthropicCalls(anthropicClient(module.default)), flush };
  },
  'openinference-openai': async () => {
    const { OpenAIInstrumentation } = await load('@arizeai/openinference-instrumentation-openai');
    const { default: OpenAI } = await load('openai');
    const { provider, flush } = await start();
    instrument(new OpenAIInstrumentation(), provider, OpenAI);
    return { calls: openAiCalls(openAiClient(OpenAI)), flush };
  },
  'openinference-anthropic': async () => {
    const { AnthropicInstrumentation } = await load('@arizeai/openinference-instrumentation-anthropic');
    const { default: Anthropic } = await load('@anthropic-ai/sdk');
    const { provider, flush } = await start();
    instrument(new AnthropicInstrumentation(), provider, Anthropic);
    return { calls: anthropicCalls(anthropicClient(Anthropic)), flush };
  },
  'openinference-langchain': async () => {
    const { LangChainInstrumentation } = await load('@arizeai/openinference-instrumentation-langchain');
    const { provider, flush } = await start();
    instrument(new LangChainInstrumentation(), provider, await load('@langchain/core/callbacks/manager'));
    return { calls: await langChainCalls(), flush };
  },
  'openinference-agents': async () => {
    const { OpenAIInstrumentation } = await load('@arizeai/openinference-instrumentation-openai');
    const { default: OpenAI } = await load('openai');
    const { setTracingDisabled } = await load('@openai/agents');
    setTracingDisabled(true);
    const { provider, flush } = await start();
    instrument(new OpenAIInstrumentation(), provider, OpenAI);
    return { calls: await agentsCalls(), flush };
  },
  'openlit-openai': async () => {
    const { default: OpenAI } = await load('openai');
    const { flush } = await openLit({ openai: OpenAI });
    return { calls: openAiCalls(openAiClient(OpenAI)), flush };
  },
  'openlit-anthropic': async () => {
    const module = await load('@anthropic-ai/sdk');
    const { flush } = await openLit({ anthropic: module });
    return { calls: anthropicCalls(anthropicClient(module.default)), flush };
  },
  'opentelemetry-openai': async () => {
    const { OpenAIInstrumentation } = await load('@opentelemetry/instrumentation-openai');
    const { BatchLogRecordProcessor, LoggerProvider, SimpleLogRecordProcessor } = await load('@opentelemetry/sdk-logs');
    const { OTLPLogExporter } = await load('@opentelemetry/exporter-logs-otlp-proto');
    const { provider, flush } = await start();
    const logProcessor = await ofKind(new OTLPLogExporter(), SimpleLogRecordProcessor, BatchLogRecordProcessor);
    const logs = new LoggerProvider({ processors: [logProcessor] });
    const instrumentation = new OpenAIInstrumentation({ captureMessageContent: true });
    instrumentation.setTracerProvider(provider);
    instrumentation.setLoggerProvider(logs);
    const { metrics } = await load('@opentelemetry/api');
    instrumentation.setMeterProvider(metrics.getMeterProvider());
    const { createRequire } = await import('node:module');
    // It instruments what is required after it.
    const { default: OpenAI } = createRequire(import.meta.url)('openai');
    const flushAll = async () => {
      await logs.forceFlush();
      await flush();
    };
    return { calls: openAiCalls(openAiClient(OpenAI)), flush: flushAll };
  },
  'ai-7': async () => {
    const { OpenTelemetry } = await load('@ai-sdk/otel');
    const { registerTelemetry } = await load('ai');
    const { flush } = await start();
    registerTelemetry(new OpenTelemetry({ usage: true, runtimeContext: true }));
    return { calls: await aiSdkCalls({}), flush };
  },
  'ai-6': async () => {
    const { flush } = await start();
    return { calls: await aiSdkCalls({ experimental_telemetry: { isEnabled: true } }), flush };
  },
  langfuse: async () => {
    const { LangfuseSpanProcessor } = await load('@langfuse/otel');
    const { observeOpenAI } = await load('@langfuse/openai');
    const { OTLPTraceExporter } = await load('@opentelemetry/exporter-trace-otlp-http');
    const { default: OpenAI } = await load('openai');
    const exportMode = isSimple ? 'immediate' : 'batched';
    const exporter = new OTLPTraceExporter();
    const { flush } = await start(new LangfuseSpanProcessor({ exporter, exportMode, publicKey: 'pk', secretKey: 'sk' }));
    return { calls: openAiCalls(observeOpenAI(openAiClient(OpenAI))), flush };
  },
  mastra: async () => {
    const { Mastra } = await load('@mastra/core');
    const { Agent } = await load('@mastra/core/agent');
    const { Observability } = await load('@mastra/observability');
    const { OtelExporter } = await load('@mastra/otel-exporter');
    const custom = { endpoint: `${endpoint}/v1/traces`, headers, protocol: 'http/protobuf' };
    const exporter = new OtelExporter({ provider: { custom }, ...(isSimple ? { batchSize: 1 } : {}) });
    const observability = new Observability({ configs: { otel: { serviceName: 'shop', exporters: [exporter] } } });
    let count = 0;
    const agentOf = async (/** @type {unknown} */ model) => {
      count += 1;
      const agent = new Agent({ id: `agent-${count}`, name: `agent ${count}`, instructions: 'Be short.', model });
      const mastra = new Mastra({ agents: { agent }, observability, logger: false });
      return mastra.getAgent('agent');
    };
    return { calls: await mastraCalls(agentOf), flush: () => exporter.shutdown() };
  },
};
