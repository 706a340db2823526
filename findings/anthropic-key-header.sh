#!/usr/bin/env bash
# The header of an Anthropic key.
#
# One would guess: `apiKey` is sent as `x-api-key`, as Anthropic's documentation has it and the client did for years; `authToken` is what goes
#   into `Authorization`.
# What happens: 0.137.0 does so. 1.14.0 sends `apiKey` as `Authorization: Bearer`, and no `x-api-key` at all; `anthropic-version` is no longer
#   2023-06-01 either.
# Seen with: @anthropic-ai/sdk 0.137.0 and 1.14.0 on Node 22, on 28 November 2026.
# Why it matters: a proxy that takes the key from `x-api-key`, or hides that header alone in its logs, meets a key elsewhere.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
node_package=node-$(node -p 'process.platform + "-" + process.arch')
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error "$node_package@22.23.3" \
  before@npm:@anthropic-ai/sdk@0.137.0 after@npm:@anthropic-ai/sdk@1.14.0 >/dev/null

cat >run.mjs <<'END'
import { readFileSync } from 'node:fs';

const seen = {};
for (const name of ['before', 'after']) {
  const { Anthropic } = await import(name);
  const fetch = async (_address, init) => {
    const headers = new Headers(init.headers);
    seen[name] = ['x-api-key', 'authorization', 'anthropic-version'].map((each) => headers.get(each));
    return Response.json({ data: [], has_more: false, first_id: null, last_id: null });
  };
  await new Anthropic({ apiKey: 'the-key', authToken: null, baseURL: 'http://provider.invalid', fetch }).models.list();
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
  const [key, authorization, wire] = seen[name];
  console.log(`@anthropic-ai/sdk ${version}: x-api-key: ${key}, authorization: ${authorization}, anthropic-version: ${wire}`);
}

const [key, authorization] = seen.before;
const [laterKey, laterAuthorization] = seen.after;
if (key !== 'the-key' || authorization !== null || laterKey !== null || laterAuthorization !== 'Bearer the-key') {
  console.log('Changed: the key is no longer sent in x-api-key by the older client, or in Authorization by the newer.');
  process.exit(1);
}
END
"node_modules/$node_package/bin/node" run.mjs
