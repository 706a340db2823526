/**
 * Makes one call of a model under a real instrumentation and lets it tell of the call, as an application would: `node sender.mjs NAME
 * SCENARIO`. The environment says where to: `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` and the other variables of OpenTelemetry, `LOG_ENDPOINT`
 * and `LOG_KEY` for the manual logger, `PROVIDER_URL` for a provider with the APIs of OpenAI and Anthropic.
 */
import { setImmediate as turn } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, BatchSpanProcessor, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import OpenAI from 'openai';
import { chatBody, messagesBody, missingModel, question, system, tool, whole } from './sender-calls.mjs';

/** @typedef {import('./sender-calls.mjs').Scenario} Scenario */
/** @typedef {{ flush: () => Promise<void> }} Sender */

const origin = process.env['PROVIDER_URL'] ?? '';
const session = { sessionId: 'session-1', userId: 'ada' };
const openAi = () => new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'sk-of-the-provider', maxRetries: 0 });
const anthropic = () => new Anthropic({ baseURL: origin, apiKey: 'sk-of-the-provider', maxRetries: 0 });

/** @param {import('@opentelemetry/sdk-trace-base').SpanProcessor} processor */
function start(processor) {
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  return { provider, flush: () => provider.forceFlush().then(() => provider.shutdown()) };
}

/**
 * @param {OpenAI} client
 * @param {Scenario} scenario
 */
function chat(client, scenario) {
  return whole(() => client.chat.completions.create(chatBody(scenario)));
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

/** @type {Readonly<Record<string, (scenario: Scenario) => Promise<Sender>>>} */
const senders = {
  OpenLLMetry: async (scenario) => {
    const { OpenAIInstrumentation } = await import('@traceloop/instrumentation-openai');
    const sender = start(batched());
    const instrumentation = new OpenAIInstrumentation();
    instrumentation.setTracerProvider(sender.provider);
    instrumentation.manuallyInstrument(OpenAI);
    await within('answer', () => chat(openAi(), scenario));
    return sender;
  },
  'OpenLLMetry of its SDK': async (scenario) => {
    const { OpenAIInstrumentation } = await import('@traceloop/instrumentation-openai');
    // As `@traceloop/node-server-sdk` does, which is too large for the tests.
    const { TRACELOOP_BASE_URL: url = '', TRACELOOP_HEADERS: headers = '' } = process.env;
    const [name = '', value = ''] = headers.split('=');
    const sender = start(new BatchSpanProcessor(new ProtobufExporter({ url: `${url}/v1/traces`, headers: { [name]: value } })));
    const instrumentation = new OpenAIInstrumentation();
    instrumentation.setTracerProvider(sender.provider);
    instrumentation.manuallyInstrument(OpenAI);
    await within('answer', () => chat(openAi(), scenario));
    return sender;
  },
  OpenLIT: async (scenario) => {
    const {
      default: { default: openlit },
    } = await import('openlit');
    // Without prices of its own it fetches some.
    openlit.init({
      applicationName: 'shop',
      environment: 'test',
      disableMetrics: true,
      disableEvents: true,
      pricingJson: {},
      instrumentations: { openai: OpenAI },
    });
    const attributes = { 'session.id': session.sessionId, 'user.id': session.userId, team: 'search' };
    await openlit.usingAttributes(attributes, () => within('answer', () => chat(openAi(), scenario)));
    return { flush: () => delegateOf(trace.getTracerProvider()).forceFlush() };
  },
  OpenInference: async (scenario) => {
    const { OpenAIInstrumentation } = await import('@arizeai/openinference-instrumentation-openai');
    const sender = start(batched());
    const instrumentation = new OpenAIInstrumentation();
    instrumentation.setTracerProvider(sender.provider);
    instrumentation.manuallyInstrument(OpenAI);
    await withOpenInference(() => within('answer', () => chat(openAi(), scenario)));
    return sender;
  },
  'OpenInference of Anthropic': async (scenario) => {
    const { AnthropicInstrumentation } = await import('@arizeai/openinference-instrumentation-anthropic');
    const sender = start(batched());
    const instrumentation = new AnthropicInstrumentation();
    instrumentation.setTracerProvider(sender.provider);
    instrumentation.manuallyInstrument(Anthropic);
    await withOpenInference(() => within('answer', () => whole(() => anthropic().messages.create(messagesBody(scenario)))));
    return sender;
  },
  Langfuse: async (scenario) => {
    const { LangfuseSpanProcessor } = await import('@langfuse/otel');
    const { propagateAttributes, startActiveObservation } = await import('@langfuse/tracing');
    const { observeOpenAI } = await import('@langfuse/openai');
    const sender = start(new LangfuseSpanProcessor({ exporter: new JsonExporter(), publicKey: 'pk', secretKey: 'sk' }));
    const attributes = { ...session, traceName: 'answers', metadata: { team: 'search' }, tags: ['a', 'b'] };
    const call = () => chat(observeOpenAI(openAi()), scenario);
    await propagateAttributes(attributes, () => startActiveObservation('answer', call));
    return sender;
  },
  'AI SDK': async (scenario) => aiSdk(await import('ai'), scenario),
  "Helicone's manual logger": async (scenario) => {
    const { HeliconeManualLogger } = await import('@helicone/helpers');
    const headers = {
      'Helicone-Session-Id': session.sessionId,
      'Helicone-User-Id': session.userId,
      'Helicone-Property-Team': 'search',
      'Helicone-Property-Run': process.env['LOG_RUN'] ?? '',
    };
    const logger = new HeliconeManualLogger({
      apiKey: process.env['LOG_KEY'] ?? '',
      loggingEndpoint: process.env['LOG_ENDPOINT'] ?? '',
      headers,
    });
    await logged(logger, scenario);
    return { flush: async () => undefined };
  },
};

/**
 * The provider behind the one that the API has: OpenLIT keeps it to itself.
 * @param {unknown} provider
 */
function delegateOf(provider) {
  return /** @type {{ getDelegate: () => BasicTracerProvider }} */ (provider).getDelegate();
}

/** @param {() => Promise<void>} call */
async function withOpenInference(call) {
  const { setMetadata, setSession, setUser } = await import('@arizeai/openinference-core');
  await context.with(setMetadata(setUser(setSession(context.active(), session), session), { team: 'search' }), call);
}

/**
 * @param {typeof import('ai')} ai
 * @param {Scenario} scenario
 */
async function aiSdk(ai, scenario) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const sender = start(new SimpleSpanProcessor(new JsonExporter()));
  const settings = { name: 'openai', baseURL: `${origin}/v1`, apiKey: 'sk-of-the-provider', includeUsage: true };
  const model = createOpenAICompatible(settings)(scenario === 'error' ? missingModel : 'gpt-4o');
  const metadata = { ...session, team: 'search' };
  const experimental_telemetry = { isEnabled: true, functionId: 'answer', metadata, tracer: trace.getTracer('ai') };
  const tools = { [tool.name]: ai.tool({ description: tool.description, inputSchema: ai.jsonSchema(tool.parameters) }) };
  const options = {
    model,
    system,
    prompt: question,
    temperature: 0.5,
    maxRetries: 0,
    experimental_telemetry,
    ...(scenario === 'tools' ? { tools } : {}),
  };
  await within('answer', () => whole(() => (scenario === 'stream' ? ai.streamText(options).text : ai.generateText(options))));
  return sender;
}

/**
 * @param {import('@helicone/helpers').HeliconeManualLogger} logger
 * @param {Scenario} scenario
 */
async function logged(logger, scenario) {
  const body = chatBody(scenario);
  if (scenario === 'stream') {
    await logger.logStream(body, async (recorder) => {
      const stream = await openAi().chat.completions.create({ ...body, stream: true });
      recorder.attachStream(stream.toReadableStream());
    });
    return;
  }
  await logger.logRequest(
    body,
    async (recorder) => {
      recorder.appendResults(await openAi().chat.completions.create({ ...body, stream: false }));
    },
    {},
    'openai',
  );
}

const [name = '', scenario = 'chat'] = process.argv.slice(2);
const sender = await senders[name]?.(/** @type {Scenario} */ (scenario));
if (sender === undefined) throw new Error(`no sender ${name}`);
// Instrumentations end the span of a refused call a moment after its caller knows.
await turn();
await sender.flush();
