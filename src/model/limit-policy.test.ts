import { describe, expect, it } from 'vitest';
import { parseLimitPolicy, unitsOfCall } from './limit-policy.ts';

const usd = 10n ** 12n;

const windowOf = (text: string): unknown => parseLimitPolicy(text).window;
const zoneOf = (tz: string): unknown => windowOf(`1;calendar=day;tz=${tz}`);

describe('parseLimitPolicy', () => {
  it('reads calls in a window', () => {
    expect(parseLimitPolicy('1000;w=3600')).toEqual({
      unit: 'request',
      quota: 1000n * unitsOfCall,
      window: { kind: 'fixed', ms: 3_600_000 },
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

  it('reads the days, weeks and months of a time zone, UTC where none is named', () => {
    expect(windowOf('10;calendar=day')).toEqual({ kind: 'calendar', unit: 'day', timezone: 'UTC' });
    expect(windowOf('10;calendar=week;tz=Europe/Berlin')).toEqual({ kind: 'calendar', unit: 'week', timezone: 'Europe/Berlin' });
    expect(windowOf('50;tz=America/New_York;u=cents;calendar=month')).toEqual({
      kind: 'calendar',
      unit: 'month',
      timezone: 'America/New_York',
    });
  });

  it('takes one time zone for another spelling of it', () => {
    expect(zoneOf('europe/berlin')).toEqual(zoneOf('Europe/Berlin'));
    expect(zoneOf('Etc/UTC')).toEqual(zoneOf('UTC'));
  });

  it('takes the parts in any order, with spaces between', () => {
    expect(parseLimitPolicy(' 1 ; u=cents ; w=60 ')).toMatchObject({ unit: 'cents', window: { kind: 'fixed', ms: 60_000 } });
  });

  it.each([
    ['', 'the quota ""'],
    ['0;w=60', 'the quota "0"'],
    ['-1;w=60', 'the quota "-1"'],
    ['1e3;w=60', 'the quota "1e3"'],
    ['1000000001;w=60', 'the quota'],
    ['NaN;w=60', 'the quota'],
    ['10', 'it has no window; it takes w= or calendar='],
    ['10;tz=UTC', 'it has no window'],
    ['10;w=', 'w=""'],
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
    ['10;w=60;calendar=day', 'w= and calendar= exclude each other'],
    ['10;w=60;tz=UTC', 'tz= goes with calendar='],
    ['10;calendar=year', 'calendar="year" is none of day, week, month'],
    ['10;calendar=', 'calendar="" is none of'],
    ['10;calendar=day;tz=Europe/Atlantis', 'tz="Europe/Atlantis" is no name of the IANA time zone database'],
    ['10;calendar=day;tz=+01:00', 'tz="+01:00" is no name'],
    ['10;calendar=day;tz=', 'tz="" is no name'],
    ['10;calendar=day;calendar=week', 'calendar= is there twice'],
    ['10;w=60\r\nx: y', 'a control character'],
    [`10;w=60;s=${'n'.repeat(600)}`, 'more than 512 characters'],
  ])('refuses %j and says why', (text, why) => {
    expect(() => parseLimitPolicy(text)).toThrow(why);
  });
});
