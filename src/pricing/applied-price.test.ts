import { expect, it } from 'vitest';
import { moneyOfUnits } from '../model/pricing/money.ts';
import { appliedPriceText, readAppliedPrice } from './applied-price.ts';
import type { Price, Rate } from './tables/price.ts';

const usd = (units: bigint) => moneyOfUnits(units * 10n ** 12n);

function priceWith(input: Rate): Price {
  return {
    table: 'price-book',
    source: '',
    reference: 'openai/gpt-x',
    validFrom: '2025-06-10',
    rates: new Map([['input', input]]),
    isFree: false,
    contextWindow: undefined,
  };
}

it('the rate that is kept is that of an input of this length, however often the price is asked', () => {
  const stepped = priceWith({ perMillion: usd(2n), steps: [{ aboveInputTokens: 1000, perMillion: usd(4n) }] });
  const rates = [10, 2000, 10, 1000, 1001].map((tokens) => (JSON.parse(appliedPriceText(stepped, tokens)) as { rates: unknown }).rates);
  expect(rates).toEqual([{ input: '2' }, { input: '4' }, { input: '2' }, { input: '2' }, { input: '4' }]);
});

it('two prices of one model are two texts, and each is read again as it was', () => {
  const [first, second] = [priceWith({ perMillion: usd(2n), steps: [] }), priceWith({ perMillion: usd(3n), steps: [] })];
  for (let times = 0; times < 2; times += 1) {
    for (const price of [first, second]) expect(readAppliedPrice(appliedPriceText(price, 10), price.reference)).toEqual(price);
  }
});
