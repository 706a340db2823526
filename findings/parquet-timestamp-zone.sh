#!/usr/bin/env bash
# A moment in a Parquet file, written with the older of the format's two annotations.
#
# One would guess: `type: 'TIMESTAMP'` of a JavaScript Date, which is a moment, is read as a moment: the format says that the older
#   annotation TIMESTAMP_MILLIS means adjusted to UTC.
# What happens: the writer sets the older annotation alone, and DuckDB makes of it a TIMESTAMP without a zone. Where the session's zone is not
#   UTC, a comparison with now() is off by the zone's distance: a row that is a minute old is not within the last two hours. With the newer
#   annotation beside it (`isAdjustedToUTC: true`) it is.
# Seen with: hyparquet-writer 0.17.0 and DuckDB 1.5.6 (@duckdb/node-api 1.5.6-r.1), on 28 November 2026.
# Why it matters: queries give right results on a server in UTC and wrong ones on the laptop of whoever looks into them.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error hyparquet-writer@0.17.0 @duckdb/node-api@1.5.6-r.1 >/dev/null

cat >run.mjs <<'END'
import { readFileSync, writeFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetWriteBuffer } from 'hyparquet-writer';

const data = [new Date(Date.now() - 60_000)];
const annotated = {
  name: 'created',
  type: 'INT64',
  repetition_type: 'REQUIRED',
  converted_type: 'TIMESTAMP_MILLIS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
};
const files = {
  'old.parquet': { columnData: [{ name: 'created', data, type: 'TIMESTAMP' }] },
  'new.parquet': { schema: [{ name: 'root', num_children: 1 }, annotated], columnData: [{ name: 'created', data }] },
};

const versionOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version;
console.log(`hyparquet-writer ${versionOf('hyparquet-writer')}, @duckdb/node-api ${versionOf('@duckdb/node-api')}, zone Asia/Tokyo:`);
const connection = await (await DuckDBInstance.create()).connect();
await connection.run("SET TimeZone = 'Asia/Tokyo'");
const seen = [];
for (const [file, options] of Object.entries(files)) {
  writeFileSync(file, new Uint8Array(parquetWriteBuffer(options)));
  const reader = await connection.runAndReadAll(
    `SELECT typeof(created), count(*) FILTER (WHERE created > now() - INTERVAL 2 HOUR)::INTEGER FROM '${file}' GROUP BY 1`,
  );
  const [type, recent] = reader.getRows()[0];
  seen.push(`${type} ${recent}`);
  console.log(`  ${file === 'old.parquet' ? 'older annotation alone' : 'with the newer one'}: ${type}, rows of the last two hours: ${recent} of 1`);
}

if (seen.join() !== 'TIMESTAMP 0,TIMESTAMP WITH TIME ZONE 1') {
  console.log('Changed: the older annotation alone is now read as a moment, or the newer one no longer is.');
  process.exit(1);
}
END
node run.mjs
