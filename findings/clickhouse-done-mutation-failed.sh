#!/usr/bin/env bash
# What system.mutations says of a mutation that failed on one part, once that part is detached.
#
# One would guess: `is_done` is 1 for what succeeded, and `latest_failed_part` and `latest_fail_reason` tell of what stands in the way now.
# What happens: the mutation fails on one part and waits, with `parts_to_do` 1. The part's partition is detached, so that nothing is left
#   to do: `is_done` becomes 1, and `latest_failed_part` still names the part, which no table has any more, with the whole reason.
# Seen with: chdb 3.4.0, ClickHouse 26.7.2.1, on 28 November 2026.
# Why it matters: whoever waits for a mutation and takes a filled `latest_fail_reason` for its end reports a failure of what is done, and
#   acts again on a part that is away. Only `is_done` decides; the reason counts together with a part that is still active.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error chdb@3.4.0 >/dev/null

cat >run.mjs <<'END'
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Session } from 'chdb';

const session = new Session('./store');
session.query('CREATE TABLE orders (n UInt32, note String, price UInt32) ENGINE = MergeTree ORDER BY n PARTITION BY n');
for (const [n, note] of [[1, '12'], [2, 'twelve']]) session.query(`INSERT INTO orders VALUES (${n}, '${note}', 0)`);

const mutation = () =>
  JSON.parse(
    session.query(
      "SELECT is_done, parts_to_do, latest_failed_part, latest_fail_reason FROM system.mutations WHERE table = 'orders' FORMAT JSONEachRow",
    ),
  );
const active = () => session.query("SELECT name FROM system.parts WHERE table = 'orders' AND active ORDER BY name FORMAT TSV").trim().split('\n');
const until = async (isSo) => {
  for (let tries = 0; tries < 100 && !isSo(mutation()); tries++) await wait(200);
  return mutation();
};
const print = (when, { is_done, parts_to_do, latest_failed_part, latest_fail_reason }) =>
  console.log(
    `  ${when}: is_done ${is_done}, parts_to_do ${parts_to_do}, latest_failed_part ${JSON.stringify(latest_failed_part)}, ` +
      `latest_fail_reason ${JSON.stringify(latest_fail_reason.slice(0, 48))}…; active parts ${active().join(', ')}`,
  );

const { version } = JSON.parse(readFileSync('node_modules/chdb/package.json', 'utf8'));
console.log(`chdb ${version}, ClickHouse ${session.query('SELECT version() FORMAT TSV').trim()}`);

session.query('ALTER TABLE orders UPDATE price = toUInt32(note) WHERE true SETTINGS mutations_sync = 0');
const failed = await until(({ latest_fail_reason: reason }) => reason !== '');
print('after the mutation', failed);
session.query('ALTER TABLE orders DETACH PARTITION 2');
const done = await until(({ is_done: isDone }) => Number(isDone) === 1);
print('after DETACH PARTITION', done);
const parts = active();
session.close();

const isAsBefore =
  Number(failed.is_done) === 0 &&
  Number(done.is_done) === 1 &&
  Number(done.parts_to_do) === 0 &&
  done.latest_failed_part !== '' &&
  done.latest_fail_reason !== '' &&
  !parts.includes(done.latest_failed_part);
if (!isAsBefore) {
  console.log('Changed: a mutation that is done no longer names the part on which it failed, or it is not done without that part.');
  process.exit(1);
}
END
node run.mjs
