import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ApiRig, keyOf, openApiRig } from '../../api/testing/api-harness.ts';
import { serveApi } from '../../api/listen.ts';
import { moneyOfUsd } from '../../model/pricing/money.ts';
import { closeServer, listening } from '../../platform/http/server.ts';
import { runCommand } from '../command.ts';
import { systemDependencies } from '../base/dependencies.ts';

const keyId = '01890000-0000-7000-8000-00000000abcd';
let rig: ApiRig;
let api: ReturnType<typeof serveApi>;
let address: string;

beforeAll(async () => {
  rig = await openApiRig();
  await rig.addKey(keyId);
  api = serveApi(rig.api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 300_000 });
  address = await listening(api);
});
afterAll(async () => {
  await closeServer(api, 100);
  await rig.close();
});
beforeEach(() => rig.call('PUT', '/v1/rate-limits', { key: keyOf('admin'), body: [] }));

interface Outcome {
  readonly code: number;
  readonly printed: string;
  readonly hinted: string;
}

async function gatelog(line: string, columns?: number): Promise<Outcome> {
  const [printed, hinted]: [string[], string[]] = [[], []];
  const code = await runCommand(line.split(' '), {
    ...systemDependencies({ GATELOG_API_URL: address, GATELOG_API_KEY: keyOf('admin') }),
    print: (text) => printed.push(text),
    write: async (bytes) => void printed.push(Buffer.from(bytes).toString('utf8').trimEnd()),
    hint: (text) => hinted.push(text),
    columns,
    isColoured: false,
  });
  return { code, printed: printed.join('\n'), hinted: hinted.join('\n') };
}

const stored = async (): Promise<unknown> =>
  ((await (await rig.call('GET', '/v1/rate-limits', { key: keyOf('r') })).json()) as { readonly data: unknown }).data;

describe('gatelog limits set', () => {
  it.each([
    [
      '--usd 50 --per day --timezone Europe/Berlin',
      '5000;calendar=day;tz=Europe/Berlin;u=cents',
      '$50.00 per calendar day (Europe/Berlin)',
    ],
    ['--usd 0.125 --per 1h --by properties.Team', '12.5;w=3600;u=cents;s=Team', '$0.125 per hour for each Team'],
    ['--requests 200 --per 7d --by user', '200;w=604800;s=user', '200 requests per week for each user'],
    ['--requests 1000 --per 90s', '1000;w=90', '1,000 requests per 90 seconds'],
    ['300000;calendar=month;u=cents', '300000;calendar=month;u=cents', '$3,000.00 per calendar month (UTC)'],
  ])('%s is the policy %s, said as "%s"', async (options, policy, words) => {
    expect(await gatelog(`limits set ${options}`)).toMatchObject({ code: 0, printed: `Set: ${words}.` });
    expect(await stored()).toEqual([{ policy, key_id: null }]);
  });

  it('a value that no request has is said, with the one that is there', async () => {
    await rig.insert([{ createdAt: Date.now() - 20 * 86_400_000, properties: new Map([['Department', 'billing']]) }]);
    const known = await gatelog('limits set --usd 9 --per 1h --by properties.department --value billing');
    expect(known.hinted).not.toContain('No request');
    const mistyped = await gatelog('limits set --usd 9 --per 1h --by properties.department --value biling');
    expect(mistyped).toMatchObject({ code: 0 });
    expect(mistyped.hinted).toMatch(/No request of the last 30 days has Department biling: none of .*; there is "billing"\./);
  });

  it('a limit of one value stands beside those of each value and of others', async () => {
    await gatelog('limits set --usd 5 --per 1h --by properties.Team');
    await gatelog('limits set --usd 9 --per 1h --by properties.Team --value checkout');
    await gatelog('limits set --usd 9 --per 1h --by properties.Team --value search');
    const { printed } = await gatelog('limits set --usd 7 --per 1h --by properties.Team --value search');
    expect(printed).toBe('Set: $7.00 per hour for Team search, in place of $9.00 per hour for Team search.');
    const policy = '900;w=3600;u=cents;s=Team';
    expect(await stored()).toEqual([
      { policy: '500;w=3600;u=cents;s=Team', key_id: null },
      { policy, value: 'checkout', key_id: null },
      { policy: '700;w=3600;u=cents;s=Team', value: 'search', key_id: null },
    ]);
    await gatelog('limits set --usd 9 --per 1h --by properties.Team');
    expect(await gatelog(`limits delete ${policy}`)).toMatchObject({ printed: 'Deleted: $9.00 per hour for each Team.' });
    expect(await gatelog(`limits delete ${policy} --value checkout`)).toMatchObject({
      printed: 'Deleted: $9.00 per hour for Team checkout.',
    });
    expect((await gatelog('limits set --usd 7 --per 1h --value search')).hinted).toContain('--value goes with --by');
  });

  it('a limit that counts the same gets the new quota, at its place, and others stay', async () => {
    await gatelog('limits set --usd 5 --per 1h --by properties.Team');
    await gatelog('limits set --requests 10 --per 1h');
    await gatelog(`limits set --requests 3 --per 1h --key ${keyId}`);
    const { printed } = await gatelog('limits set --usd 8 --per 60m --by properties.team');
    expect(printed).toBe('Set: $8.00 per hour for each team, in place of $5.00 per hour for each Team.');
    expect(await stored()).toEqual([
      { policy: '800;w=3600;u=cents;s=team', key_id: null },
      { policy: '10;w=3600', key_id: null },
      { policy: '3;w=3600', key_id: keyId },
    ]);
  });

  it('several at once lose none of each other', async () => {
    const policies = Array.from({ length: 6 }, (_, number) => `${number + 1};w=${60 + number}`);
    const outcomes = await Promise.all(policies.map((policy) => gatelog(`limits set ${policy}`)));
    expect(outcomes.map(({ code }) => code)).toEqual(policies.map(() => 0));
    expect(((await stored()) as readonly { readonly policy: string }[]).map(({ policy }) => policy).toSorted()).toEqual(policies);
    await Promise.all(policies.slice(1).map((policy) => gatelog(`limits delete ${policy}`)));
    expect(await stored()).toEqual([{ policy: policies[0], key_id: null }]);
  });

  it.each([
    ['--per day', 'Say how much, by --usd or by --requests'],
    ['--usd 5 --requests 5 --per day', 'Say how much, by --usd or by --requests'],
    ['--usd 5', '--per is missing'],
    ['--usd five --per day', '--usd takes an amount such as 50 or 0.25; got "five".'],
    ['--usd 5 --per fortnight', '--per takes a length such as 10m, 1h or 7d, or the day, week or month of the calendar; got "fortnight".'],
    ['--usd 5 --per 1h --timezone UTC', '--timezone goes with --per day, week or month.'],
    ['--usd 5 --per day --timezone Mars', 'no name of the IANA time zone database'],
    ['--usd 5 --per day --by model', '--by takes user or a property such as properties.Team; got "model".'],
    ['--requests -1 --per day', 'no number above 0'],
    ['5;w=60 --per day', 'A policy says all of it'],
    ['5;w=never', 'The policy: w="never" is not a whole number of seconds'],
    ['5;w=60 --key mine', 'is the identifier of one of your keys'],
  ])('%s is refused in a sentence, and nothing is changed', async (options, sentence) => {
    await gatelog('limits set 7;w=60');
    expect(await gatelog(`limits set ${options}`)).toMatchObject({ code: 2, hinted: expect.stringContaining(sentence) as unknown });
    expect(await stored()).toEqual([{ policy: '7;w=60', key_id: null }]);
  });
});

describe('gatelog limits list', () => {
  it('shows how full each limit is, by its fullest segment, and which rule it belongs to', async () => {
    await rig.insert([
      { createdAt: Date.now() - 1000, properties: new Map([['Team', 'search']]), cost: moneyOfUsd(9.85) ?? null },
      { createdAt: Date.now() - 1000, properties: new Map([['Team', 'checkout']]), cost: moneyOfUsd(1) ?? null },
    ]);
    await gatelog('limits set --usd 5 --per 1h --by properties.Team');
    await gatelog(`limits set --requests 10 --per 1h --key ${keyId}`);
    await gatelog('alerts create Spend --metric cost --threshold 20 --window 1h --enforce');
    const { printed } = await gatelog('limits list');
    expect(printed.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['LIMIT', 'FULL', 'USED', 'FULLEST', 'SET BY', 'POLICY'],
      ['$5.00 per hour for each Team', '197 %', expect.stringMatching(/^\$9\.85/), 'search', '-', '500;w=3600;u=cents;s=Team'],
      ['10 requests per hour', '0 %', '0', '-', `key ${keyId}`, '10;w=3600'],
      ['$20.00 per hour', '54.3 %', expect.stringMatching(/^\$10\.85/), '-', 'rule Spend', '2000;w=3600;u=cents'],
    ]);
    const [first] = (await gatelog('limits list --json')).printed.split('\n').map((line) => JSON.parse(line) as object);
    expect(first).toMatchObject({ unit: 'usd', quota: 5, fullest: [{ value: 'search', share: 1.97 }, { value: 'checkout' }] });
    expect((await gatelog('limits list', 80)).printed.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(await gatelog('limits delete 2000;w=3600;u=cents')).toMatchObject({
      code: 3,
      hinted: 'The limit belongs to the alert rule "Spend" and ends with it: "gatelog alerts get" shows the rule.',
    });
    await gatelog('alerts delete Spend');
  });

  it('says which requests of a budget have no price', async () => {
    await rig.insert([{ createdAt: Date.now() - 1000, model: 'acme-rerank-7b', status: 200, cost: null }]);
    await gatelog('limits set --usd 7 --per 30s');
    expect((await gatelog('limits list')).hinted).toContain(
      '1 request without a price counted as $0: acme-rerank-7b (1). "gatelog report unpriced" says more.',
    );
    await gatelog('limits delete 700;w=30;u=cents');
  });

  it('without limits says how one is made', async () => {
    expect(await gatelog('limits list')).toMatchObject({
      code: 0,
      printed: '',
      hinted: expect.stringContaining('gatelog limits set') as unknown,
    });
  });
});

describe('gatelog limits delete', () => {
  it('takes the policy that the list shows, and leaves the others', async () => {
    for (const limit of ['5;w=60', '6;w=60;s=user', `5;w=60 --key ${keyId}`]) await gatelog(`limits set ${limit}`);
    // Of two the one that holds for all keys.
    expect(await gatelog(`limits delete 5;w=60 --key ${keyId}`)).toMatchObject({ code: 0, printed: 'Deleted: 5 requests per minute.' });
    expect((await gatelog('limits delete 5;w=60')).code).toBe(0);
    expect(await stored()).toEqual([{ policy: '6;w=60;s=user', key_id: null }]);
    expect(await gatelog('limits delete 5;w=60')).toMatchObject({
      code: 3,
      hinted: 'There is no limit "5;w=60"; "gatelog limits list" shows them.',
    });
  });
});
