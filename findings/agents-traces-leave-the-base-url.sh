#!/usr/bin/env bash
# Where the traces of OpenAI's Agents SDK go.
#
# One would guess: with OPENAI_BASE_URL and OPENAI_API_KEY set to a gateway and its key, everything that the SDK sends goes to the gateway.
# What happens: the model's calls do. The traces, which are on by default, go to api.openai.com with the gateway's key in their
#   Authorization, and hold the names of agents and the counts of tokens. The base URL has no say in it.
# Seen with: @openai/agents 0.20.0 on Node 22, on 28 November 2026. Every fetch is answered inside the program; nothing leaves it.
# Why it matters: facts of each run go to a party that the set-up seems to leave out, with a key that it has no use for.
#   OPENAI_AGENTS_DISABLE_TRACING=1 or an exporter of one's own changes it.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
node_package=node-$(node -p 'process.platform + "-" + process.arch')
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error "$node_package@22.23.3" @openai/agents@0.20.0 zod@4.6.7 >/dev/null

cat >run.mjs <<'END'
import { readFileSync } from 'node:fs';

const sent = [];
globalThis.fetch = async (address, init) => {
  const url = new URL(address instanceof Request ? address.url : address);
  const authorization = new Headers(init?.headers).get('authorization');
  sent.push({ host: url.host, path: url.pathname, authorization, body: String(init?.body) });
  return Response.json(url.pathname.endsWith('/responses') ? reply : {});
};
const reply = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'gpt-5-mini',
  output: [
    { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Hello', annotations: [] }] },
  ],
  usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4, input_tokens_details: {}, output_tokens_details: {} },
};

const { Agent, getGlobalTraceProvider, run } = await import('@openai/agents');
const { finalOutput } = await run(new Agent({ name: 'helper', instructions: 'Be kind.', model: 'gpt-5-mini' }), 'Hi there');
await getGlobalTraceProvider().forceFlush();

const { version } = JSON.parse(readFileSync('node_modules/@openai/agents/package.json', 'utf8'));
console.log(`@openai/agents ${version}, base URL ${process.env.OPENAI_BASE_URL}, answer "${finalOutput}", sent:`);
for (const { host, path, authorization } of sent) console.log(`  ${host}${path}, authorization: ${authorization}`);

const traces = sent.filter(({ path }) => path.includes('traces'));
const calls = sent.filter(({ path }) => path.endsWith('/responses'));
const isAsBefore =
  calls.length === 1 &&
  calls[0].host === 'gateway.invalid' &&
  traces.length > 0 &&
  traces.every(({ host, authorization }) => host === 'api.openai.com' && authorization === 'Bearer key-of-the-gateway');
if (!isAsBefore) {
  console.log("Changed: the traces no longer go to the maker's own address with the key of the base URL.");
  process.exit(1);
}
process.exit(0);
END
NODE_ENV=production OPENAI_BASE_URL=http://gateway.invalid/v1 OPENAI_API_KEY=key-of-the-gateway "node_modules/$node_package/bin/node" run.mjs
