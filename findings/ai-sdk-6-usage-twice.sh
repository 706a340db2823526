#!/usr/bin/env bash
# Adding up the usage of the AI SDK's spans.
#
# One would guess: each span has the usage of its own work, so that the sum over all spans of a trace is what was spent.
# What happens: the span of the whole and the span of each step both have `ai.usage.*`; the outer one repeats the sum of the inner ones. A sum
#   over all spans is exactly twice what was spent. `gen_ai.usage.*` is on the inner ones alone.
# Seen with: ai 6.0.322 with @ai-sdk/openai-compatible 2.0.87, two steps with a tool between, on 28 November 2026.
# Why it matters: a dashboard that adds up `ai.usage.*` doubles every bill; one that takes the root alone, or `gen_ai.usage.*`, does not.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error ai@6.0.322 @ai-sdk/openai-compatible@2.0.87 zod@4.6.7 \
  @opentelemetry/api@1.9.1 @opentelemetry/sdk-trace-base@2.12.1 >/dev/null

cat >run.mjs <<'END'
import { readFileSync } from 'node:fs';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';

const exporter = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('example');

const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } };
const messages = [
  { message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' },
  { message: { role: 'assistant', content: 'It rains.' }, finish_reason: 'stop' },
];
const usage = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 };
const fetch = async () =>
  Response.json({ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', choices: [{ index: 0, ...messages.shift() }], usage });
const provider = createOpenAICompatible({ name: 'example', baseURL: 'http://provider.invalid/v1', fetch });

await generateText({
  model: provider('m'),
  prompt: 'What is the weather in Oslo?',
  tools: { weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async () => 'rain' }) },
  stopWhen: stepCountIs(3),
  experimental_telemetry: { isEnabled: true, tracer },
});

const spans = exporter.getFinishedSpans();
const { version } = JSON.parse(readFileSync('node_modules/ai/package.json', 'utf8'));
console.log(`ai ${version}, two calls of 1000 input tokens each:`);
for (const { name, attributes } of spans) {
  const [own, convention] = ['ai.usage.inputTokens', 'gen_ai.usage.input_tokens'].map((key) => attributes[key] ?? 'none');
  console.log(`  ${name}: ai.usage.inputTokens ${own}, gen_ai.usage.input_tokens ${convention}`);
}
const sum = (key) => spans.reduce((total, { attributes }) => total + (attributes[key] ?? 0), 0);
console.log(`  sums: ${sum('ai.usage.inputTokens')} and ${sum('gen_ai.usage.input_tokens')}`);

if (sum('ai.usage.inputTokens') !== 4000 || sum('gen_ai.usage.input_tokens') !== 2000) {
  console.log('Changed: the sums are no longer twice and once what was spent.');
  process.exit(1);
}
END
node run.mjs
