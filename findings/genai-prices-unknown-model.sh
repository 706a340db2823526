#!/usr/bin/env bash
# A price list meets a model that is newer than the list.
#
# One would guess: no price (null), so that an unpriced model shows up as such, for every maker alike.
# What happens: Claude names match by how they begin. claude-sonnet-5-5 is billed as claude-sonnet-5, and so is a name that nobody has
#   ever given to a model. Nothing in the result says that the name is not in the list, except that `model.id` is not the name asked for.
#   GPT names match as a whole: an unknown one of theirs gives null.
# Seen with: @pydantic/genai-prices 0.1.8, whose list lacks claude-sonnet-5-5, on 28 November 2026.
# Why it matters: a check for null finds the new models of one maker and bills those of another at the price of a relative. Compare
#   `model.id` with the name asked for.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error @pydantic/genai-prices@0.1.8 >/dev/null

cat >run.mjs <<'END'
import { readFileSync } from 'node:fs';
import { calcPrice } from '@pydantic/genai-prices';

const usage = { input_tokens: 100_000, cache_read_tokens: 100_000, output_tokens: 0 };
const asked = [
  ['anthropic', 'claude-sonnet-5'],
  ['anthropic', 'claude-sonnet-5-5'],
  ['anthropic', 'claude-sonnet-5-of-nobody'],
  ['openai', 'gpt-5.4'],
  ['openai', 'gpt-5.4-of-nobody'],
];
const seen = asked.map(([providerId, name]) => {
  const price = calcPrice(usage, name, { providerId });
  return { name, as: price?.model.id ?? null, dollars: price?.total_price ?? null };
});

const { version } = JSON.parse(readFileSync('node_modules/@pydantic/genai-prices/package.json', 'utf8'));
console.log(`@pydantic/genai-prices ${version}, 100,000 cached tokens:`);
for (const { name, as, dollars } of seen) console.log(`  ${name}: ${as === null ? 'null' : `${dollars} USD, as ${as}`}`);

const [known, newer, invented, gpt, unknownGpt] = seen;
const isRelative = ({ as, dollars }) => as === 'claude-sonnet-5' && dollars === known.dollars;
const isAsBefore = isRelative(newer) && isRelative(invented) && gpt.as === 'gpt-5.4' && unknownGpt.as === null;
if (!isAsBefore) {
  console.log('Changed: unknown Claude names no longer have the price of the model that they begin with, or unknown GPT names have one.');
  process.exit(1);
}
END
node run.mjs
