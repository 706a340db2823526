import { describe, expect, it } from 'vitest';
import { parseLimitPolicy, unitsOfCall } from './limit-policy.ts';

const usd = 10n ** 12n;

describe('parseLimitPolicy', () => {
  it('reads calls in a window', () => {
    expect(parseLimitPolicy('1000;w=3600')).toEqual({
      unit: 'request',
      quota: 1000n * unitsOfCall,
      windowMs: 3_600_000,
      segment: undefined,
      text: '1000;w=3600',
    });
  });

  it('reads money, decimals too, exactly', () => {
    expect(parseLimitPolicy('50;w=60;u=cents')).toMatchObject({ unit: 'cents', quota: usd / 2n });
    expect(parseLimitPolicy('0.000001;w=60;u=cents').quota).toBe(10_000n);
    expect(parseLimitPolicy('0.5;w=60').quota).toBe(unitsOfCall / 2n);
  });

  it('reads whose window it is: each user, or each value of a property with its case', () => {
    expect(parseLimitPolicy('1;w=60;s=user').segment).toEqual({ of: 'user' });
    expect(parseLimitPolicy('1;s=Team=x;w=60').segment).toEqual({ of: 'property', name: 'Team=x' });
  });

  it('takes the parts in any order, with spaces between', () => {
    expect(parseLimitPolicy(' 1 ; u=cents ; w=60 ')).toMatchObject({ unit: 'cents', windowMs: 60_000 });
  });

  it.each([
    ['', 'the quota ""'],
    ['0;w=60', 'the quota "0"'],
    ['-1;w=60', 'the quota "-1"'],
    ['1e3;w=60', 'the quota "1e3"'],
    ['1000000001;w=60', 'the quota'],
    ['NaN;w=60', 'the quota'],
    ['10', 'w=""'],
    ['10;w=0', 'w="0"'],
    ['10;w=1.5', 'w="1.5"'],
    ['10;w=31536001', 'w="31536001"'],
    ['10;w=60;w=61', 'w= is there twice'],
    ['10;w=60;u=tokens', 'the unit "tokens"'],
    ['10;w=60;s=', 's= names nothing'],
    ['10;w=60;x=1', '"x=1" is none of'],
    ['10;w=60;', '"" is none of'],
    ['10;w=60, 20', 'w="60, 20"'],
    ['10;w=60, 20;w=90', 'w= is there twice'],
    ['10;w=60\r\nx: y', 'a control character'],
    [`10;w=60;s=${'n'.repeat(600)}`, 'more than 512 characters'],
  ])('refuses %j and says why', (text, why) => {
    expect(() => parseLimitPolicy(text)).toThrow(why);
  });
});
