#!/usr/bin/env bash
# One attribute of one call in two spans.
#
# One would guess: `gen_ai.usage.input_tokens` of one call is one number, whoever makes the span.
# What happens: one call of Anthropic with 400 fresh tokens, 600 read from its cache and 100 written to it has two spans, one inside the
#   other. The instrumentation says 400 and calls the written part `cache_creation`; the client's own span says 1100 and calls it
#   `cache_write`.
# Seen with: @traceloop/instrumentation-anthropic 0.27.0 and @anthropic-ai/sdk 0.137.0, on 28 November 2026.
# Why it matters: fresh input is found by subtracting the cache from one and not from the other. No rule for the attribute's name is right
#   for both, the span's scope has to decide, and a sum over all spans is neither.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error \
  @anthropic-ai/sdk@0.137.0 @traceloop/instrumentation-anthropic@0.27.0 \
  @opentelemetry/api@1.9.1 @opentelemetry/context-async-hooks@2.12.0 @opentelemetry/sdk-trace-base@2.12.1 >/dev/null

cat >run.cjs <<'END'
const { readFileSync } = require('node:fs');
const { context, trace } = require('@opentelemetry/api');
const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks');
const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-base');
const { AnthropicInstrumentation } = require('@traceloop/instrumentation-anthropic');

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
trace.setGlobalTracerProvider(provider);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
new AnthropicInstrumentation().setTracerProvider(provider);
const { Anthropic } = require('@anthropic-ai/sdk');

const reply = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-5',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 400, cache_read_input_tokens: 600, cache_creation_input_tokens: 100, output_tokens: 200 },
};

async function main() {
  const client = new Anthropic({ apiKey: 'none', baseURL: 'http://provider.invalid', fetch: async () => Response.json(reply) });
  await client.messages.create({ model: 'claude-sonnet-5', max_tokens: 900, messages: [{ role: 'user', content: 'Hi' }] });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const spans = exporter.getFinishedSpans();
  for (const name of ['@traceloop/instrumentation-anthropic', '@anthropic-ai/sdk']) {
    console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version}`);
  }
  for (const { name, instrumentationScope, attributes } of spans) {
    const counts = Object.entries(attributes).filter(([key]) => /^gen_ai\.usage\..*input/.test(key));
    const texts = counts.map(([key, value]) => `${key.slice('gen_ai.usage.'.length)} ${value}`);
    console.log(`  ${name} of ${instrumentationScope.name}: ${texts.join(', ')}`);
  }
  const [inner, outer] = spans;
  const isWithin = outer !== undefined && inner.parentSpanContext?.spanId === outer.spanContext().spanId;
  console.log(`  the first is a child of the second: ${isWithin}`);
  const told = spans.map(({ attributes }) => attributes['gen_ai.usage.input_tokens']).sort((one, other) => one - other);
  if (told.join() !== '400,1100' || !isWithin) {
    console.log(`Changed: the input of the call is told as ${told.join(' and ')}.`);
    process.exit(1);
  }
}
main();
END
node run.cjs
