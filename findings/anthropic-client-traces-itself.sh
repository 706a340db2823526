#!/usr/bin/env bash
# A client library that makes OpenTelemetry spans without being asked.
#
# One would guess: a client has spans only where an instrumentation of it is installed; and one that makes spans passes them on, so that
#   a request carries `traceparent`.
# What happens: the client's own spans begin as soon as any global tracer provider is there, be it for a web server or a database.
#   `traceparent` is sent only where a propagator is registered too, which is a separate step.
# Seen with: @anthropic-ai/sdk 1.14.0 with @opentelemetry/api 1.9.1, on 28 November 2026.
# Why it matters: an update of the client adds spans, and with an instrumentation beside it each call has two; what looks like tracing
#   from end to end stops at the client unless a propagator is set.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
node_package=node-$(node -p 'process.platform + "-" + process.arch')
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error "$node_package@22.23.3" @anthropic-ai/sdk@1.14.0 \
  @opentelemetry/api@1.9.1 @opentelemetry/core@2.12.1 @opentelemetry/sdk-trace-base@2.12.1 >/dev/null

cat >run.mjs <<'END'
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import { propagation, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const [, , step] = process.argv;
if (step !== 'nothing') trace.setGlobalTracerProvider(provider);
if (step === 'provider and propagator') propagation.setGlobalPropagator(new W3CTraceContextPropagator());

const reply = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-5',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 1 },
};
let traceparent = null;
const fetch = async (_address, init) => {
  traceparent = new Headers(init.headers).get('traceparent');
  return Response.json(reply);
};
const client = new Anthropic({ apiKey: 'none', baseURL: 'http://provider.invalid', fetch });
await client.messages.create({ model: 'claude-sonnet-5', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] });
await wait(50);
await provider.forceFlush();

const { version } = JSON.parse(readFileSync('node_modules/@anthropic-ai/sdk/package.json', 'utf8'));
const names = exporter.getFinishedSpans().map(({ name }) => name);
const sent = traceparent === null ? 'none' : 'sent';
console.log(`@anthropic-ai/sdk ${version}, registered: ${step}; spans: ${names.join() || 'none'}; traceparent: ${sent}`);

const isAsBefore = (names.length === 1) === (step !== 'nothing') && (traceparent !== null) === (step === 'provider and propagator');
if (!isAsBefore) {
  console.log('Changed: the spans or the header no longer follow from what is registered.');
  process.exit(1);
}
END
for step in nothing provider 'provider and propagator'; do "node_modules/$node_package/bin/node" run.mjs "$step"; done
