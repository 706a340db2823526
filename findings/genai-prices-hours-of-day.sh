#!/usr/bin/env bash
# What one call costs at 00:30, 01:30, 04:30, 06:30 and 10:30 by one price list.
#
# One would guess: a list gives a model one price, which changes on a day at most; what looks like a price of the hour is a discount at night,
#   as with DeepSeek's older models.
# What happens: DeepSeek's v4 models cost twice as much from 01:00 to 04:00 and from 06:00 to 10:00 UTC, and deepseek-chat half from 16:30 on,
#   in the same list. Without `timestamp` the price is that of the hour in which the program computes it, not of the call.
# Seen with: @pydantic/genai-prices 0.1.8, on 28 November 2026.
# Why it matters: costs that are computed later, by a queue or a nightly job, are wrong by a factor of two unless the time of the call is
#   handed over, and a price that is remembered for a model holds for hours only.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --prefix . --no-audit --no-fund --engine-strict=false --loglevel=error @pydantic/genai-prices@0.1.8 >/dev/null

cat >run.mjs <<'END'
import { readFileSync } from 'node:fs';
import { calcPrice } from '@pydantic/genai-prices';

const day = Date.UTC(2026, 10, 28);
const half = 1_800_000;
const dollars = (model, halves) => {
  const options = { providerId: 'deepseek', ...(halves === undefined ? {} : { timestamp: new Date(day + halves * half) }) };
  return calcPrice({ input_tokens: 1_000_000, output_tokens: 0 }, model, options)?.total_price;
};
const shown = (halves) => `${String(Math.floor(halves / 2)).padStart(2, '0')}:${halves % 2 === 0 ? '00' : '30'}`;

const { version } = JSON.parse(readFileSync('node_modules/@pydantic/genai-prices/package.json', 'utf8'));
console.log(`@pydantic/genai-prices ${version}, a million tokens of input:`);
const prices = new Map();
for (const model of ['deepseek-v4-pro', 'deepseek-v4-flash', 'deepseek-chat']) {
  const all = Array.from({ length: 48 }, (_, halves) => dollars(model, halves));
  const changes = all.flatMap((price, halves) => (halves === 0 || price !== all[halves - 1] ? [`${shown(halves)} ${price} USD`] : []));
  console.log(`  ${model} from ${changes.join(', ')}`);
  prices.set(model, all);
}

// Without a time: the price of the hour that the clock of the program shows.
const { Date: RealDate } = globalThis;
const now = (time) =>
  class extends RealDate {
    constructor(...given) {
      super(...(given.length === 0 ? [time] : given));
    }
    static now() {
      return time;
    }
  };
const untimed = [1, 3].map((halves) => {
  globalThis.Date = now(day + halves * half);
  const price = dollars('deepseek-v4-pro');
  globalThis.Date = RealDate;
  return price;
});
console.log(`  deepseek-v4-pro without a time, when it is 00:30 and 01:30: ${untimed.join(' and ')} USD`);

const isDear = (halves) => (halves >= 2 && halves < 8) || (halves >= 12 && halves < 20);
const isAsBefore =
  ['deepseek-v4-pro', 'deepseek-v4-flash'].every((model) => {
    const all = prices.get(model);
    return all.every((price, halves) => price === all[0] * (isDear(halves) ? 2 : 1));
  }) && untimed[1] === 2 * untimed[0];
if (!isAsBefore) {
  console.log('Changed: the v4 models no longer cost twice as much at these hours, or a call without a time has another price.');
  process.exit(1);
}
END
node run.mjs
