/**
 * Calls past the gateway whose spans are exported to it, for `npm run soak -- clients`, which runs this beside the packages and in a
 * version of Node that they take, with the set-up of docs/guides/opentelemetry.md. Prints a line of JSON for each: its name, the
 * identifier of its trace, and what the client understood or its error.
 */
const { PROVIDER = '' } = process.env;
const prompt = 'When does the harbour open?';

/**
 * The packages lie beside a copy of this file, not in the project.
 * @param {string} name
 * @returns {Promise<any>}
 */
const load = (name) => import(name);

const { NodeSDK } = await load('@opentelemetry/sdk-node');
const { SpanStatusCode, trace } = await load('@opentelemetry/api');
const { OpenTelemetry } = await load('@ai-sdk/otel');
const { generateText, registerTelemetry, streamText } = await load('ai');
const { createOpenAI } = await load('@ai-sdk/openai');
const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible');
const { default: Anthropic } = await load('@anthropic-ai/sdk');

const sdk = new NodeSDK();
sdk.start();
registerTelemetry(new OpenTelemetry({ usage: true, runtimeContext: true }));

const openAi = createOpenAI({ baseURL: `${PROVIDER}/v1`, apiKey: 'caller-key' });
const compatible = createOpenAICompatible({ name: 'openai', baseURL: `${PROVIDER}/v1`, apiKey: 'caller-key', includeUsage: true });
const anthropic = new Anthropic({ baseURL: PROVIDER, apiKey: 'caller-key', maxRetries: 0 });
const told = {
  prompt,
  maxRetries: 0,
  runtimeContext: { sessionId: 'spans-1', userId: 'ada', team: 'search' },
  telemetry: { includeRuntimeContext: { sessionId: true, userId: true, team: true } },
};
const message = { model: 'claude-sonnet-4-6', max_tokens: 100, messages: [{ role: 'user', content: prompt }] };

/** @type {readonly (readonly [name: string, call: () => Promise<unknown>])[]} */
const calls = [
  ['ai generateText', async () => (await generateText({ ...told, model: openAi('gpt-5-mini') })).text],
  ['ai streamText', async () => await streamText({ ...told, model: compatible('gpt-4o') }).text],
  ['@anthropic-ai/sdk messages', async () => (await anthropic.messages.create(message)).content[0].text],
  ['@opentelemetry/sdk-node span by hand', spanByHand],
];

async function spanByHand() {
  const span = trace.getTracer('by-hand').startSpan('chat gpt-4.1-mini', {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4.1-mini',
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.output_tokens': 200,
    },
  });
  span.setStatus({ code: SpanStatusCode.OK });
  span.end();
  return 'ended';
}

for (const [name, call] of calls) {
  await trace.getTracer('application').startActiveSpan(name, async (/** @type {any} */ span) => {
    const outcome = await call().then(
      (said) => ({ said }),
      (/** @type {unknown} */ error) => ({ error: String(error) }),
    );
    span.end();
    console.log(JSON.stringify({ name, id: span.spanContext().traceId, ...outcome }));
  });
}
await sdk.shutdown();
process.exit(0);
