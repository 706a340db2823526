#!/usr/bin/env bash
# Two libraries for one standard of webhooks, one of which is built on the other.
#
# One would guess: svix, which verifies with standardwebhooks inside, gives what that gives, the checked and parsed body; and both take the
#   headers of a web-standard Request as they are.
# What happens: standardwebhooks gives the body, svix gives undefined (its type says so). Neither finds anything in a `Headers` object: both
#   say that required headers are missing when they are there.
# Seen with: standardwebhooks 1.1.1 and svix 2.5.0, on 28 November 2026.
# Why it matters: in JavaScript one cannot take the place of the other, though names and arguments are the same, and a handler in a runtime
#   of Fetch refuses every webhook until it makes a plain object of the headers.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error standardwebhooks@1.1.1 svix@2.5.0 >/dev/null

cat >run.mjs <<'END'
import { readFileSync } from 'node:fs';
import { Webhook as Standard } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const body = '{"type":"request.stored"}';
const at = new Date();
const headers = {
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Standard(secret).sign('msg_1', at, body),
};

const attempt = (verify) => {
  try {
    return JSON.stringify(verify()) ?? 'undefined';
  } catch (error) {
    return error.message;
  }
};
const seen = [];
for (const [name, Webhook] of Object.entries({ standardwebhooks: Standard, svix: Svix })) {
  const webhook = new Webhook(secret);
  const [given, ofRequest] = [headers, new Headers(headers)].map((each) => attempt(() => webhook.verify(body, each)));
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
  console.log(`${name} ${version}: with an object ${given}; with Headers "${ofRequest}"`);
  seen.push(given, ofRequest);
}

const [standard, standardHeaders, svix, svixHeaders] = seen;
const refuses = (text) => /missing required headers/i.test(text);
const isAsBefore = standard === body && svix === 'undefined' && refuses(standardHeaders) && refuses(svixHeaders);
if (!isAsBefore) {
  console.log('Changed: the two give the same result, or take a Headers object.');
  process.exit(1);
}
END
node run.mjs
