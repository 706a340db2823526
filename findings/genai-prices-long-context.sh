#!/usr/bin/env bash
# Where the long-context price of one model begins, at two providers of one price list.
#
# One would guess: as with taxes, only the tokens above the limit cost more, and "272,000 tokens" is the same limit for the same model
#   wherever the list has it.
# What happens: one token more doubles the price of the whole input, and the output beside it costs half as much again. At OpenAI the step
#   is reached with 272,000 tokens (the list holds 271999, as its engine asks for more than that), at GitHub Copilot with 272,001, so
#   that a call of exactly 272,000 has two prices, one twice the other, for the same model with the same base price.
# Seen with: @pydantic/genai-prices 0.1.8, model gpt-5.4, on 28 November 2026.
# Why it matters: code that copies the steps of such a list must keep "whole call" and "more than", and a test with a round number
#   of tokens stands exactly on the edge.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error @pydantic/genai-prices@0.1.8 >/dev/null

cat >run.mjs <<'END'
import { readFileSync } from 'node:fs';
import { calcPrice } from '@pydantic/genai-prices';

const dollars = (providerId, input_tokens, output_tokens) =>
  calcPrice({ input_tokens, output_tokens }, 'gpt-5.4', { providerId })?.total_price ?? Number.NaN;
const close = (one, other) => Math.abs(one - other) < 1e-9;

const { version } = JSON.parse(readFileSync('node_modules/@pydantic/genai-prices/package.json', 'utf8'));
console.log(`@pydantic/genai-prices ${version}, gpt-5.4:`);
for (const providerId of ['openai', 'github-copilot']) {
  const of = [271_999, 272_000, 272_001].map((count) => `${count} tokens ${dollars(providerId, count, 0).toFixed(6)} USD`);
  console.log(`  ${providerId}: ${of.join(', ')}`);
}
const [before, after] = [271_999, 272_000].map((count) => dollars('openai', count, 1000) - dollars('openai', count, 0));
console.log(`  1000 tokens of output beside them at openai: ${before.toFixed(6)} USD, then ${after.toFixed(6)} USD`);

const isAsBefore =
  close(dollars('openai', 271_999, 0), 271_999 * 2.5e-6) &&
  close(dollars('openai', 272_000, 0), 272_000 * 5e-6) &&
  close(dollars('github-copilot', 272_000, 0), 272_000 * 2.5e-6) &&
  close(dollars('github-copilot', 272_001, 0), 272_001 * 5e-6) &&
  after > before;
if (!isAsBefore) {
  console.log('Changed: the step is no longer for the whole call, or no longer one token apart at the two providers.');
  process.exit(1);
}
END
node run.mjs
