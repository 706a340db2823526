#!/usr/bin/env bash
# The type of a number in an OTLP message.
#
# One would guess: an attribute such as a cost or a temperature has one type on the wire, double; and OTLP/JSON writes 64-bit integers as
#   strings, as the mapping of Protocol Buffers to JSON says.
# What happens: the type follows the value. 0.7 is sent as doubleValue, 1 as intValue, under the same name; and intValue is a
#   bare JSON number.
# Seen with: @opentelemetry/exporter-trace-otlp-http 0.223.1, on 28 November 2026.
# Why it matters: a receiver that takes a cost from doubleValue alone loses every round one, one that fixes a column's type by the first
#   value refuses the second, and a strict reader of OTLP/JSON refuses numbers where it wants strings.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error \
  @opentelemetry/api@1.9.1 @opentelemetry/sdk-trace-base@2.12.1 @opentelemetry/exporter-trace-otlp-http@0.223.1 >/dev/null

cat >run.mjs <<'END'
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

const bodies = [];
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  bodies.push(JSON.parse(Buffer.concat(chunks).toString()));
  response.setHeader('content-type', 'application/json').end('{}');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const exporter = new OTLPTraceExporter({ url: `http://127.0.0.1:${server.address().port}/v1/traces` });
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = provider.getTracer('example');
for (const temperature of [0.7, 1]) tracer.startSpan('chat', { attributes: { 'gen_ai.request.temperature': temperature } }).end();
await provider.forceFlush();
await provider.shutdown();
server.close();

const spans = bodies.flatMap(({ resourceSpans }) => resourceSpans).flatMap(({ scopeSpans }) => scopeSpans).flatMap(({ spans: each }) => each);
const values = spans.map(({ attributes }) => JSON.stringify(attributes[0].value)).toSorted();
const { version } = JSON.parse(readFileSync('node_modules/@opentelemetry/exporter-trace-otlp-http/package.json', 'utf8'));
console.log(`@opentelemetry/exporter-trace-otlp-http ${version}, one attribute in two spans: ${values.join(' and ')}`);

if (values.join() !== '{"doubleValue":0.7},{"intValue":1}') {
  console.log('Changed: the type no longer follows the value, or an integer is no longer a bare number.');
  process.exit(1);
}
END
node run.mjs
