#!/usr/bin/env bash
# Telemetry of the AI SDK after an update from 6 to 7.
#
# One would guess: a call that asks for telemetry with `isEnabled: true` and carries `metadata` has spans with that metadata, or the
#   program says that something is missing.
# What happens: with a global tracer provider, version 6 makes spans with the metadata. Version 7 makes none until `registerTelemetry` has been
#   called with an object of another package, @ai-sdk/otel, and then leaves the metadata out. Neither step says a word.
# Seen with: ai 6.0.322 and 7.0.173 with @ai-sdk/otel 1.0.173, on Node 22, on 28 November 2026.
# Why it matters: sessions and users of a product hang on that metadata; after the update they are empty, and nothing failed.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
node_package=node-$(node -p 'process.platform + "-" + process.arch')
mkdir six seven
for each in six seven; do echo '{"private":true,"type":"module"}' >$each/package.json; done
npm install --prefix six --no-audit --no-fund --engine-strict=false --loglevel=error "$node_package@22.23.3" \
  ai@6.0.322 @ai-sdk/openai-compatible@2.0.87 @opentelemetry/api@1.9.1 @opentelemetry/sdk-trace-base@2.12.1 >/dev/null
npm install --prefix seven --no-audit --no-fund --engine-strict=false --loglevel=error \
  ai@7.0.173 @ai-sdk/otel@1.0.173 @ai-sdk/openai-compatible@3.0.92 @opentelemetry/api@1.9.1 @opentelemetry/sdk-trace-base@2.12.1 >/dev/null

cat >six/run.mjs <<'END'
import { readFileSync } from 'node:fs';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import * as ai from 'ai';

const warnings = [];
process.on('warning', (warning) => warnings.push(warning.message));
for (const name of ['warn', 'error', 'info']) console[name] = (...words) => warnings.push(words.join(' '));

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
if (process.argv[2] === 'registered') {
  const { OpenTelemetry } = await import('@ai-sdk/otel');
  ai.registerTelemetry(new OpenTelemetry());
}

const message = { role: 'assistant', content: 'Hello' };
const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
const fetch = async () =>
  Response.json({ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
const { text } = await ai.generateText({
  model: createOpenAICompatible({ name: 'example', baseURL: 'http://provider.invalid/v1', fetch })('m'),
  prompt: 'Hi',
  experimental_telemetry: { isEnabled: true, metadata: { sessionId: 'session-of-ada' } },
});

const { version } = JSON.parse(readFileSync('node_modules/ai/package.json', 'utf8'));
const spans = exporter.getFinishedSpans();
const isTagged = spans.some(({ attributes }) => Object.values(attributes).includes('session-of-ada'));
console.log(JSON.stringify({ version, registered: process.argv[2] === 'registered', text, spans: spans.length, isTagged, warnings: warnings.length }));
END
cp six/run.mjs seven/run.mjs
node="$folder/six/node_modules/$node_package/bin/node"
seen=$(cd six && "$node" run.mjs && cd ../seven && "$node" run.mjs && "$node" run.mjs registered)
echo "$seen"

node - "$seen" <<'END'
const [six, seven, registered] = process.argv[2].split('\n').map((line) => JSON.parse(line));
const isAsBefore =
  six.spans > 0 && six.isTagged && seven.spans === 0 && registered.spans > 0 && !registered.isTagged && seven.warnings + registered.warnings === 0;
if (!isAsBefore) {
  console.log('Changed: version 7 makes spans unasked, keeps the metadata, or says what is missing.');
  process.exit(1);
}
END
