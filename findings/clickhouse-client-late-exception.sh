#!/usr/bin/env bash
# A statement that fails after ClickHouse has sent status 200.
#
# One would guess: the client, which knows the exception at the end of a body by its tag, throws in each of its methods.
# What happens: `json()` throws ClickHouseError. `text()` gives the rows with the exception's text behind them; `command()` and `insert()`
#   say that all went well.
# Seen with: @clickhouse/client 1.23.1 against a loopback server that ends its answers in the form that the client looks for, on 28 November 2026.
# Why it matters: an `INSERT … SELECT` by `command()` that runs out of memory half-way counts as done. `wait_end_of_query: 1` makes the
#   server say it in the status.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error @clickhouse/client@1.23.1 >/dev/null

cat >run.mjs <<'END'
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createClient } from '@clickhouse/client';

const tag = 'dqcxvajwnhrmkeyu';
const message = 'Code: 241. DB::Exception: Query memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)\n';
const trailer = `\r\n__exception__\r\n${tag}\r\n${message}${message.length} ${tag}\r\n__exception__\r\n`;
const server = createServer((request, response) => {
  let statement = request.url;
  request.on('data', (chunk) => (statement += chunk));
  request.once('end', () => {
    response.setHeader('x-clickhouse-exception-tag', tag);
    response.end(statement.includes('SELECT n') ? `{"n":1}\n{"n":2}\n${trailer}` : trailer);
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const client = createClient({ url: `http://127.0.0.1:${server.address().port}`, log: { level: 127 } });
const query = () => client.query({ query: 'SELECT n FROM numbers', format: 'JSONEachRow' });
const calls = {
  'query().json()': async () => (await query()).json(),
  'query().text()': async () => (await query()).text(),
  'command()': async () => client.command({ query: 'INSERT INTO a SELECT * FROM b' }),
  'insert()': async () => client.insert({ table: 'a', values: [{ n: 1 }], format: 'JSONEachRow' }),
};

const { version } = JSON.parse(readFileSync('node_modules/@clickhouse/client/package.json', 'utf8'));
console.log(`@clickhouse/client ${version}, status 200 with an exception at the end of the body:`);
const seen = [];
for (const [name, call] of Object.entries(calls)) {
  const outcome = await call().then(
    () => 'no error',
    (error) => `${error.constructor.name} ${error.code ?? ''}`.trim(),
  );
  seen.push(outcome);
  console.log(`  ${name}: ${outcome}`);
}
await client.close();
server.close();

if (seen.join() !== 'ClickHouseError 241,no error,no error,no error') {
  console.log('Changed: the exception is seen by other methods than json().');
  process.exit(1);
}
END
node run.mjs
