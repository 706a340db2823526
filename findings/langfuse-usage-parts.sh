#!/usr/bin/env bash
# What `input` means in Langfuse's usage details.
#
# One would guess: `input` and `output` are OpenAI's prompt_tokens and completion_tokens, and the cached and reasoning tokens beside them are
#   parts of those, as in OpenAI's own usage and in OpenTelemetry's convention.
# What happens: the wrapper subtracts. 1000 input tokens with 600 of them cached, and 200 of output with 128 of reasoning, become input 400,
#   output 72, and two entries beside them; `total` stays 1200. So input and output do not add up to the total, and the four parts do.
# Seen with: @langfuse/openai 5.11.1 with openai 6.49.0, on 28 November 2026.
# Why it matters: whoever reads the span as OpenTelemetry's convention has it takes 600 cached tokens from 400 and
#   counts 400 of 1000.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error @langfuse/openai@5.11.1 openai@6.49.0 \
  @opentelemetry/api@1.9.1 @opentelemetry/sdk-trace-base@2.12.1 >/dev/null

cat >run.mjs <<'END'
import { readFileSync } from 'node:fs';
import { observeOpenAI } from '@langfuse/openai';
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import OpenAI from 'openai';

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));

const usage = {
  prompt_tokens: 1000,
  completion_tokens: 200,
  total_tokens: 1200,
  prompt_tokens_details: { cached_tokens: 600 },
  completion_tokens_details: { reasoning_tokens: 128 },
};
const message = { role: 'assistant', content: 'Hello' };
const fetch = async () =>
  Response.json({ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
const client = observeOpenAI(new OpenAI({ apiKey: 'none', baseURL: 'http://provider.invalid/v1', fetch }));
await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });

const [span] = exporter.getFinishedSpans();
const details = JSON.parse(span?.attributes['langfuse.observation.usage_details'] ?? '{}');
const { version } = JSON.parse(readFileSync('node_modules/@langfuse/openai/package.json', 'utf8'));
console.log(`@langfuse/openai ${version}: OpenAI says ${JSON.stringify(usage)}`);
console.log(`  the span says ${JSON.stringify(details)}`);

if (details.input !== 400 || details.output !== 72 || details.total !== 1200) {
  console.log('Changed: input and output are no longer told without their cached and reasoning parts.');
  process.exit(1);
}
END
node run.mjs
