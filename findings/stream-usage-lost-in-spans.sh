#!/usr/bin/env bash
# Token counts of a streamed chat in spans.
#
# One would guess: with `stream_options: { include_usage: true }` the counts are in the stream, so an instrumentation that reports those
#   of a plain call reports them of a streamed one.
# What happens: in two instrumentations of OpenAI's client the plain call has its counts and the streamed one none, though the
#   application itself sees them in the last chunk. Neither says so.
# Seen with: @arizeai/openinference-instrumentation-openai 4.2.7 and @traceloop/instrumentation-openai 0.27.0 with openai 6.49.0, on
#   28 November 2026.
# Why it matters: most interactive use is streamed, so a dashboard over those spans shows a fraction of the tokens, and a cost of zero
#   looks like a cheap feature.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error openai@6.49.0 @arizeai/openinference-instrumentation-openai@4.2.7 \
  @traceloop/instrumentation-openai@0.27.0 @opentelemetry/api@1.9.1 @opentelemetry/sdk-trace-base@2.12.1 >/dev/null

cat >run.mjs <<'END'
import { readFileSync } from 'node:fs';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import OpenAI from 'openai';

const [, , name] = process.argv;
const { OpenAIInstrumentation } = await import(name);
const exporter = new InMemorySpanExporter();
const instrumentation = new OpenAIInstrumentation();
instrumentation.setTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
instrumentation.manuallyInstrument(OpenAI);

const usage = { prompt_tokens: 1234, completion_tokens: 56, total_tokens: 1290 };
const base = { id: 'c', created: 1, model: 'gpt-5-mini' };
const message = { role: 'assistant', content: 'Hello' };
const plain = { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
const chunks = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: null }], usage: null },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null },
  { choices: [], usage },
].map((chunk) => `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', ...chunk })}\n\n`);
const fetch = async (_address, { body }) =>
  JSON.parse(body).stream
    ? new Response(`${chunks.join('')}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } })
    : Response.json(plain);
const client = new OpenAI({ apiKey: 'none', baseURL: 'http://provider.invalid/v1', fetch });

const call = { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hi' }] };
await client.chat.completions.create(call);
let last;
for await (const chunk of await client.chat.completions.create({ ...call, stream: true, stream_options: { include_usage: true } })) last = chunk;
await new Promise((resolve) => setTimeout(resolve, 50));

const hasInput = ({ attributes }) => Object.values(attributes).includes(usage.prompt_tokens);
const spans = exporter.getFinishedSpans();
const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
const [ofPlain, ofStream] = spans.map(hasInput);
console.log(`${name} ${version}: counts in the span of the plain call: ${ofPlain}, of the stream: ${ofStream};`);
console.log(`  input tokens that the application saw in the stream: ${last.usage?.prompt_tokens}`);

if (spans.length !== 2 || !ofPlain || ofStream || last.usage?.prompt_tokens !== usage.prompt_tokens) {
  console.log('Changed: the span of a streamed chat has its counts, or that of a plain one has none.');
  process.exit(1);
}
END
for name in @arizeai/openinference-instrumentation-openai @traceloop/instrumentation-openai; do node run.mjs "$name"; done
