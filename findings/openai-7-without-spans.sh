#!/usr/bin/env bash
# An instrumentation and the next major version of what it instruments.
#
# One would guess: a warning, or an install that npm refuses, when the client is newer than the instrumentation knows.
# What happens: with openai 6 one span per call; with openai 7, the same program and the same set-up, none. npm
#   installs the pair, the call works, and OpenTelemetry's own diagnostic log has no warning.
# Seen with: @opentelemetry/instrumentation-openai 0.22.0 with openai 6.49.0 and 7.59.0, on Node 22, on 28 November 2026.
# Why it matters: an update of the client ends the recording of its calls, and nothing turns red. Assert in a test that a call makes
#   a span.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
node_package=node-$(node -p 'process.platform + "-" + process.arch')
echo '{"private":true}' >package.json

cat >run.cjs <<'END'
const { readFileSync } = require('node:fs');
const { diag, DiagLogLevel, metrics } = require('@opentelemetry/api');
const { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } = require('@opentelemetry/sdk-trace');
const { OpenAIInstrumentation } = require('@opentelemetry/instrumentation-openai');

const warnings = [];
const warn = (...words) => warnings.push(words.join(' '));
diag.setLogger({ error: warn, warn, info() {}, debug() {}, verbose() {} }, DiagLogLevel.WARN);
process.on('warning', warn);

const exporter = new InMemorySpanExporter();
const instrumentation = new OpenAIInstrumentation();
instrumentation.setTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
instrumentation.setMeterProvider(metrics.getMeterProvider());
const { OpenAI } = require('openai');

const reply = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-5-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
};

const versionOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version;

async function main() {
  const client = new OpenAI({ apiKey: 'none', baseURL: 'http://provider.invalid/v1', fetch: async () => Response.json(reply) });
  const { choices } = await client.chat.completions.create({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hi' }] });
  console.log(
    JSON.stringify({
      openai: versionOf('openai'),
      instrumentation: versionOf('@opentelemetry/instrumentation-openai'),
      answer: choices[0].message.content,
      spans: exporter.getFinishedSpans().length,
      warnings,
    }),
  );
}
main();
END

seen=
for version in 6.49.0 7.59.0; do
  npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error "$node_package@22.23.3" "openai@$version" \
    @opentelemetry/instrumentation-openai@0.22.0 @opentelemetry/api@1.10.0 @opentelemetry/sdk-trace@3.1.1 >/dev/null
  line=$("node_modules/$node_package/bin/node" run.cjs)
  echo "$line"
  seen+="$line
"
done

node - "$seen" <<'END'
const [six, seven] = process.argv[2].trim().split('\n').map((line) => JSON.parse(line));
const isAsBefore = six.spans === 1 && seven.spans === 0 && seven.answer === 'Hello' && seven.warnings.length === 0;
if (!isAsBefore) {
  console.log('Changed: openai 7 now has spans, or something warns.');
  process.exit(1);
}
END
