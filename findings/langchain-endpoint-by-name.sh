#!/usr/bin/env bash
# Which endpoint a chat model of LangChain calls.
#
# One would guess: ChatOpenAI posts to /chat/completions, unless `useResponsesApi` says otherwise; the model's name is a field of the body.
# What happens: the name decides. gpt-5.5 goes to /chat/completions; gpt-5.5-pro, gpt-5.6 and names with "codex" go to /responses, with
#   the same code and no option set. So it is with any base URL, and with names that a compatible server gives its own models.
# Seen with: @langchain/openai 1.6.0 on Node 22, on 28 November 2026.
# Why it matters: a change of one word in a configuration asks a server for an endpoint that it may not have, and changes the shape of all
#   that is logged.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
node_package=node-$(node -p 'process.platform + "-" + process.arch')
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error "$node_package@22.23.3" \
  @langchain/openai@1.6.0 @langchain/core@1.4.0 >/dev/null

cat >run.mjs <<'END'
import { readFileSync } from 'node:fs';
import { ChatOpenAI } from '@langchain/openai';

const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
const message = { role: 'assistant', content: 'Hello' };
const chat = { id: 'c', object: 'chat.completion', created: 1, choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
const content = [{ type: 'output_text', text: 'Hello', annotations: [] }];
const response = {
  id: 'r',
  object: 'response',
  created_at: 1,
  status: 'completed',
  output: [{ type: 'message', id: 'm', role: 'assistant', status: 'completed', content }],
  usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
};

const { version } = JSON.parse(readFileSync('node_modules/@langchain/openai/package.json', 'utf8'));
console.log(`@langchain/openai ${version}, same code, no option set:`);
const seen = {};
for (const model of ['gpt-5.5', 'gpt-5.5-pro', 'gpt-5.6', 'my-codex']) {
  const fetch = async (address) => {
    seen[model] = new URL(String(address)).pathname;
    return Response.json(seen[model].endsWith('/responses') ? { ...response, model } : { ...chat, model });
  };
  const llm = new ChatOpenAI({ model, apiKey: 'none', configuration: { baseURL: 'http://provider.invalid/v1', fetch } });
  const { text } = await llm.invoke('Hi');
  console.log(`  ${model}: POST ${seen[model]}, answer "${text}"`);
}

const { 'gpt-5.5': plain, ...others } = seen;
if (plain !== '/v1/chat/completions' || !Object.values(others).every((path) => path === '/v1/responses')) {
  console.log("Changed: the model's name no longer decides as it did.");
  process.exit(1);
}
END
"node_modules/$node_package/bin/node" run.mjs
