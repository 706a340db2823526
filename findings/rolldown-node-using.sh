#!/usr/bin/env bash
# A class with `using`, bundled by rolldown for the platform "node", in Node 20.
#
# One would guess: `platform: 'node'` makes code for Node, so what is newer than the Node that runs the bundler is written in older words.
# What happens: the platform chooses how packages are resolved, and nothing of the language. `using` declarations stay as they are, the
#   build says nothing, and Node 20 does not parse the file: SyntaxError. With `transform: { target: 'node20' }` it runs.
# Seen with: rolldown 1.3.3, Node 20 and 24, on 28 November 2026.
# Why it matters: the sources run in the tests, because runners transform them, and the bundle runs on the machine that has a newer Node.
#   It fails on the oldest one that the package promises.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
node_package=node-$(node -p 'process.platform + "-" + process.arch')
mkdir twenty twenty-four
for name in twenty twenty-four; do echo '{"private":true,"type":"module"}' >"$name/package.json"; done
npm install --prefix twenty --no-audit --no-fund --engine-strict=false --loglevel=error "$node_package@20.20.2" rolldown@1.3.3 >/dev/null
npm install --prefix twenty-four --no-audit --no-fund --engine-strict=false --loglevel=error "$node_package@24.22.3" >/dev/null

cat >twenty/run.mjs <<'END'
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';

const source = `class Connection {
  [Symbol.dispose]() {
    console.log('closed');
  }
}
{
  using connection = new Connection();
  console.log(connection instanceof Connection ? 'open' : '');
}
`;
writeFileSync('source.mjs', source);
const warnings = [];
const bundled = async (name, options) => {
  const bundle = await rolldown({ input: 'source.mjs', platform: 'node', onLog: (_, { message }) => warnings.push(message), ...options });
  await bundle.write({ file: name, format: 'esm' });
  return /\busing\s+connection\b/.test(readFileSync(name, 'utf8'));
};
const runsIn = (node, name) => {
  const { status, stdout, stderr } = spawnSync(node, [name], { encoding: 'utf8' });
  const error = stderr.split('\n').find((line) => /^\w*Error/.test(line));
  return status === 0 ? stdout.trim().split('\n').join(' and ') : (error ?? `ended with ${status}`);
};

const { version } = JSON.parse(readFileSync('node_modules/rolldown/package.json', 'utf8'));
console.log(`rolldown ${version} in Node ${process.versions.node}`);
const seen = [];
for (const [name, options] of [
  ['platform.mjs', {}],
  ['target.mjs', { transform: { target: 'node20' } }],
]) {
  const keeps = await bundled(name, options);
  const [twenty, later] = [process.execPath, process.argv[2]].map((node) => runsIn(node, name));
  seen.push({ keeps, twenty, later });
  console.log(`  platform "node" and ${JSON.stringify(options)}: \`using\` ${keeps ? 'stays' : 'goes'}; Node 20: ${twenty}; Node 24: ${later}`);
}
console.log(`  what the builds logged: ${warnings.length === 0 ? 'nothing' : warnings.join('; ')}`);

const [platform, target] = seen;
const isAsBefore =
  platform.keeps &&
  platform.twenty.startsWith('SyntaxError') &&
  platform.later === 'open and closed' &&
  !target.keeps &&
  target.twenty === 'open and closed' &&
  warnings.length === 0;
if (!isAsBefore) {
  console.log('Changed: the platform "node" no longer leaves `using` as it is, or the build says something of it.');
  process.exit(1);
}
END
cd twenty
"$folder/twenty/node_modules/$node_package/bin/node" run.mjs "$folder/twenty-four/node_modules/$node_package/bin/node"
