#!/usr/bin/env bash
# A 64-bit integer from ClickHouse in JSON.
#
# One would guess: a UInt64 arrives as a string in ClickHouse's JSON formats, as it did by default for years and clients document.
# What happens: it is a bare number, and JSON.parse rounds it. 9007199254740993 becomes 9007199254740992 without an error.
# Seen with: chdb 3.4.0 (ClickHouse 26.7), on 28 November 2026. `output_format_json_quote_64bit_integers = 1` gives strings.
# Why it matters: identifiers, hashes and nanoseconds since 1970 change in their last digits after an update of the server, in programs that
#   have not changed.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error chdb@3.4.0 >/dev/null

cat >run.mjs <<'END'
import { readFileSync } from 'node:fs';
import { query } from 'chdb';

const statement = 'SELECT toUInt64(9007199254740993) AS n';
const line = query(statement, 'JSONEachRow').trim();
const quoted = query(`${statement} SETTINGS output_format_json_quote_64bit_integers = 1`, 'JSONEachRow').trim();
const { n } = JSON.parse(line);

const { version } = JSON.parse(readFileSync('node_modules/chdb/package.json', 'utf8'));
console.log(`chdb ${version}, ClickHouse ${query('SELECT version()', 'TSV').trim()}: ${line}, parsed ${n}; with the setting ${quoted}`);

if (line !== '{"n":9007199254740993}' || n !== 9007199254740992 || quoted !== '{"n":"9007199254740993"}') {
  console.log('Changed: the integer is no longer a bare number by default.');
  process.exit(1);
}
END
node run.mjs
