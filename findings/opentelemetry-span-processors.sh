#!/usr/bin/env bash
# A span processor of OpenTelemetry JS after a change to the package that takes the old one's place.
#
# One would guess: `new SimpleSpanProcessor(exporter)`, the line of every set-up for years, still works, or throws where it stands.
# What happens: the processor of sdk-trace, the only one for generation 3, wants `{ exporter }`. The old line constructs, spans start
#   and end, and nothing is exported. The error is told to OpenTelemetry's diagnostic log, which has no listener unless an application
#   sets one.
# Seen with: @opentelemetry/sdk-trace-base 2.12.1 and @opentelemetry/sdk-trace 3.1.1, its successor, on Node 22, on 28 November 2026.
# Why it matters: in JavaScript, and wherever the set-up is typed loosely, tracing ends with an update that looks like a change of names.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
node_package=node-$(node -p 'process.platform + "-" + process.arch')
mkdir two three
for each in two three; do echo '{"private":true}' >$each/package.json; done
npm install --prefix two --no-audit --no-fund --engine-strict=false --loglevel=error "$node_package@22.23.3" \
  @opentelemetry/sdk-trace-base@2.12.1 @opentelemetry/api@1.9.1 >/dev/null
npm install --prefix three --no-audit --no-fund --engine-strict=false --loglevel=error \
  @opentelemetry/sdk-trace@3.1.1 @opentelemetry/api@1.10.0 >/dev/null

cat >two/run.cjs <<'END'
const { readFileSync } = require('node:fs');

const name = `@opentelemetry/${process.argv[2]}`;
const { InMemorySpanExporter, SimpleSpanProcessor, ...sdk } = require(name);
const Provider = sdk.BasicTracerProvider ?? sdk.TracerProvider;

const ways = { 'SimpleSpanProcessor(exporter)': (exporter) => exporter, 'SimpleSpanProcessor({ exporter })': (exporter) => ({ exporter }) };
const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
const lines = Object.entries(ways).map(([way, argumentOf]) => {
  const exporter = new InMemorySpanExporter();
  new Provider({ spanProcessors: [new SimpleSpanProcessor(argumentOf(exporter))] }).getTracer('example').startSpan('chat').end();
  return [way, exporter];
});
setTimeout(() => {
  for (const [way, exporter] of lines) {
    console.log(`${name} ${version}, new ${way}: no error, ${exporter.getFinishedSpans().length} of 1 spans exported`);
  }
}, 100);
END
cp two/run.cjs three/run.cjs
node="$folder/two/node_modules/$node_package/bin/node"
seen=$(cd two && "$node" run.cjs sdk-trace-base && cd ../three && "$node" run.cjs sdk-trace)
echo "$seen"

counts=$(sed 's/.*no error, \([01]\) of.*/\1/' <<<"$seen" | tr '\n' ' ')
if [ "$counts" != '1 0 0 1 ' ]; then
  echo 'Changed: sdk-trace takes an exporter as it stands, or no longer constructs with one.'
  exit 1
fi
