#!/usr/bin/env bash
# A standard environment variable of OpenTelemetry in a product built on OpenTelemetry.
#
# One would guess: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT says where traces go, as the specification gives it precedence.
# What happens: it is not read. The spans are printed to the terminal and nothing arrives at the address. With
#   OTEL_EXPORTER_OTLP_ENDPOINT alone they arrive, at /v1/traces below it.
# Seen with: openlit 1.15.0, on 28 November 2026.
# Why it matters: a deployment that sends traces, logs and metrics to different places by the standard variables gets no traces, and
#   spans of calls stand in the logs of its containers.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error openlit@1.15.0 openai@6.49.0 >/dev/null

cat >application.cjs <<'END'
const openlit = require('openlit').default;
globalThis.fetch = ((original) => async (address, init) =>
  String(address).startsWith('http://127.0.0.1') ? original(address, init) : new Response('', { status: 404 }))(globalThis.fetch);
const { OpenAI } = require('openai');
openlit.init({ applicationName: 'example', disableMetrics: true, disableEvents: true, pricingJson: {}, instrumentations: { openai: OpenAI } });
const reply = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-5-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
};
async function main() {
  const client = new OpenAI({ apiKey: 'none', baseURL: 'http://provider.invalid/v1', fetch: async () => Response.json(reply) });
  await client.chat.completions.create({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hi' }] });
  const { trace } = require('@opentelemetry/api');
  const provider = trace.getTracerProvider();
  await (provider.getDelegate?.() ?? provider).forceFlush?.();
  process.exit(0);
}
main();
END

cat >run.cjs <<'END'
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { readFileSync } = require('node:fs');
const { createServer } = require('node:http');

async function main() {
  const { version } = JSON.parse(readFileSync('node_modules/openlit/package.json', 'utf8'));
  const seen = {};
  for (const variable of ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']) {
    const paths = [];
    const server = createServer((request, response) => {
      paths.push(request.url);
      request.resume().once('end', () => response.setHeader('content-type', 'application/json').end('{}'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base = `http://127.0.0.1:${server.address().port}`;
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('OTEL_'));
    const env = { ...Object.fromEntries(inherited), [variable]: variable.includes('TRACES') ? `${base}/v1/traces` : base };
    const child = spawn(process.execPath, ['application.cjs'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.on('data', (chunk) => (printed += chunk));
    await once(child, 'close');
    server.close();
    server.closeAllConnections();
    seen[variable] = { arrived: paths.includes('/v1/traces'), printed: printed.includes('gpt-5-mini') };
    console.log(`openlit ${version}, ${variable}: ${paths.length} exports arrived, span printed: ${seen[variable].printed}`);
  }
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: general } = seen;
  if (own.arrived || !own.printed || !general.arrived) {
    console.log('Changed: the variable for traces now counts, or the general one no longer does.');
    process.exit(1);
  }
}
main();
END
node run.cjs
