#!/usr/bin/env bash
# ClickHouse's `insert_deduplication_token` on a plain MergeTree.
#
# One would guess: a batch that is sent twice with one token is stored once, and the token of one batch with other rows is either stored or
#   refused.
# What happens: on a table as it is made by default the token is accepted and does nothing: two copies. With
#   `non_replicated_deduplication_window` it works, by the token alone: other rows under a used token are dropped without an error. And
#   inserts without any token then are compared by content, so that a second, equal row that is meant is dropped too.
# Seen with: chdb 3.4.0 (ClickHouse 26.7), on 28 November 2026.
# Why it matters: a retry that relies on the token stores twice on one table and, where a token is not derived from the content, loses
#   rows on the other. Set the window, give each content one token, and give each insert a token.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error chdb@3.4.0 >/dev/null

cat >run.mjs <<'END'
import { readFileSync } from 'node:fs';
import { Session } from 'chdb';

const session = new Session('./store');
session.query('CREATE TABLE plain (n UInt32) ENGINE = MergeTree ORDER BY n');
session.query('CREATE TABLE windowed (n UInt32) ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 100');

const rowsOf = (table) => session.query(`SELECT n FROM ${table} ORDER BY n FORMAT TSV`).trim().split(/\s+/).join();
const insert = (table, value, token) =>
  session.query(`INSERT INTO ${table} ${token === undefined ? '' : `SETTINGS insert_deduplication_token = '${token}'`} VALUES (${value})`);

const { version } = JSON.parse(readFileSync('node_modules/chdb/package.json', 'utf8'));
console.log(`chdb ${version}, ClickHouse ${session.query('SELECT version() FORMAT TSV').trim()}`);

for (let time = 0; time < 2; time++) insert('plain', 1, 'first');
const plain = rowsOf('plain');
console.log(`  as made by default, row 1 twice with one token: ${plain}`);
for (const value of [1, 1, 2]) insert('windowed', value, 'first');
const windowed = rowsOf('windowed');
console.log(`  with a window, rows 1, 1 and 2 with one token: ${windowed}`);
for (let time = 0; time < 2; time++) insert('windowed', 3);
const untold = rowsOf('windowed');
console.log(`  with a window, then row 3 twice without a token: ${untold}`);
session.close();

if (plain !== '1,1' || windowed !== '1' || untold !== '1,3') {
  console.log('Changed: tokens count without a window, or other rows with a used token are kept, or equal rows without a token are.');
  process.exit(1);
}
END
node run.mjs
