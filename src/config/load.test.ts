import { describe, expect, test } from 'vitest';
import { addressedProviders } from '../model/providers/providers.ts';
import { faultSentence, loadConfig, type Config } from './load.ts';
import { printConfig as printGiven } from './print.ts';
import { settingRows } from './variables.ts';

const machine = { cores: 4 };

const printConfig = (config: Config): string => printGiven(config, { machine, given: { values: {}, places: new Map() } });

function configOf(environment: Record<string, string>): Config {
  const loaded = loadConfig(environment, machine);
  if ('faults' in loaded) throw new Error(loaded.faults.map(faultSentence).join('\n'));
  return loaded.config;
}

function sentencesOf(environment: Record<string, string>): readonly string[] {
  const loaded = loadConfig(environment, machine);
  return 'faults' in loaded ? loaded.faults.map(faultSentence) : [];
}

describe('an empty environment', () => {
  test('gives every default', () => {
    expect(configOf({})).toMatchObject({
      dataDir: './data',
      host: '127.0.0.1',
      gatewayPort: 8787,
      apiPort: 8788,
      region: 'us',
      regions: {},
      gatewayWorkers: 2,
      bootstrapApiKey: undefined,
      targetAllowlist: [],
      keyStaleMaxMs: 600_000,
      spoolSync: 'interval',
      spoolMaxBytes: 4 * 1024 ** 3,
      spoolSegmentBytes: 64 * 1024 ** 2,
      headerMaxBytes: 640 * 1024,
      storeMemoryBytes: 1536 * 1024 ** 2,
      storeSpareBytes: 256 * 1024 ** 2,
      clickhouseUrl: undefined,
      logLevel: 'info',
      providers: {},
    });
  });

  test('is what an empty variable counts as', () => {
    expect(configOf({ GATELOG_HOST: '', GATELOG_CLICKHOUSE_URL: '', GATELOG_PROVIDER_OPENAI_KEY: '' })).toEqual(configOf({}));
  });

  test.each([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 2],
    [16, 8],
    [64, 8],
  ])('on %i cores starts %i gateway workers', (cores, workers) => {
    expect(loadConfig({}, { cores })).toMatchObject({ config: { gatewayWorkers: workers } });
  });

  test('gives a frozen configuration', () => {
    const config = configOf({ GATELOG_REGIONS: 'us=https://a.example', GATELOG_TARGET_ALLOWLIST: 'a', GATELOG_PROVIDER_OPENAI_KEY: 'k' });
    for (const part of [config, config.regions, config.targetAllowlist, config.providers, config.providers['openai']]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });
});

describe('a value that is written', () => {
  test.each([
    ['GATELOG_SPOOL_MAX_BYTES', '170000000', 'spoolMaxBytes', 170_000_000],
    ['GATELOG_SPOOL_MAX_BYTES', '512 MiB', 'spoolMaxBytes', 512 * 1024 ** 2],
    ['GATELOG_HEADER_MAX_BYTES', '64KiB', 'headerMaxBytes', 65_536],
    ['GATELOG_KEY_STALE_MAX', '600s', 'keyStaleMaxMs', 600_000],
    ['GATELOG_KEY_STALE_MAX', '2h', 'keyStaleMaxMs', 7_200_000],
    ['GATELOG_KEY_STALE_MAX', '0s', 'keyStaleMaxMs', 0],
    ['GATELOG_API_PORT', '0', 'apiPort', 0],
    ['GATELOG_HOST', '::1', 'host', '::1'],
    ['GATELOG_REGION', 'eu-west-1', 'region', 'eu-west-1'],
    [
      'GATELOG_REGIONS',
      'us=https://us.example.com/, eu=https://eu.example.com',
      'regions',
      { us: 'https://us.example.com', eu: 'https://eu.example.com' },
    ],
    ['GATELOG_PUBLIC_API_URL', 'https://logs.example.com/base/', 'publicApiUrl', 'https://logs.example.com/base'],
    [
      'GATELOG_TARGET_ALLOWLIST',
      'LocalHost:9101, 10.0.0.0/8,[::1]:80,fd00::/8',
      'targetAllowlist',
      ['localhost:9101', '10.0.0.0/8', '[::1]:80', 'fd00::/8'],
    ],
    [
      'GATELOG_CORS_ORIGINS',
      'https://App.example.com:443/, http://localhost:5173,app://obsidian.md,*',
      'corsOrigins',
      ['https://app.example.com', 'http://localhost:5173', 'app://obsidian.md', '*'],
    ],
    ['GATELOG_SPOOL_SYNC', 'always', 'spoolSync', 'always'],
    ['GATELOG_COUNTRY_HEADER', 'CF-IPCountry', 'countryHeader', 'cf-ipcountry'],
    ['GATELOG_BOOTSTRAP_API_KEY', 'sk-svc-us-0123456789', 'bootstrapApiKey', 'sk-svc-us-0123456789'],
  ])('%s=%s', (name, text, key, value) => {
    expect(configOf({ [name]: text })[key as keyof Config]).toEqual(value);
  });

  test('for a provider is kept under the provider’s lower-case name', () => {
    const config = configOf({
      GATELOG_PROVIDER_OPENAI_URL: 'http://127.0.0.1:9101/v1/',
      GATELOG_PROVIDER_OPENAI_KEY: 'sk-provider',
    });
    expect(config.providers).toEqual({ openai: { baseUrl: 'http://127.0.0.1:9101/v1', key: 'sk-provider' } });
    expect(config.providers['constructor']).toBeUndefined();
  });

  test('for a provider that nobody knows is a fault: calls would go elsewhere than the operator thinks', () => {
    expect(sentencesOf({ GATELOG_PROVIDER_OPENIA_URL: 'http://127.0.0.1:9101/v1' })).toEqual([
      `GATELOG_PROVIDER_OPENIA_URL names no provider that is known here (openia); known are: ${addressedProviders.join(', ')}.`,
    ]);
  });

  test('for every provider there are an address and a key', () => {
    const environment = Object.fromEntries(
      addressedProviders.flatMap((name) => [
        [`GATELOG_PROVIDER_${name.toUpperCase()}_URL`, `https://${name}.example`],
        [`GATELOG_PROVIDER_${name.toUpperCase()}_KEY`, `key-${name}`],
      ]),
    );
    const { providers } = configOf(environment);
    expect({ ...providers }).toEqual(
      Object.fromEntries(addressedProviders.map((name) => [name, { baseUrl: `https://${name}.example`, key: `key-${name}` }])),
    );
  });

  test('a key of Azure without its resource belongs to nobody knows what', () => {
    expect(sentencesOf({ GATELOG_PROVIDER_AZURE_KEY: 'key' })).toEqual([
      'GATELOG_PROVIDER_AZURE_KEY is set without GATELOG_PROVIDER_AZURE_URL, so nothing tells to which resource it belongs; write that address too (https://<resource>.openai.azure.com).',
    ]);
  });

  test('for the command line as a client is not ours to judge', () => {
    expect(
      sentencesOf({ GATELOG_API_KEY: 'sk-svc-us-x', GATELOG_API_URL: 'http://127.0.0.1:8788', GATELOG_IMPORT_KEY: 'k', PATH: '/bin' }),
    ).toEqual([]);
  });
});

describe('a fault', () => {
  test.each([
    ['GATELOG_API_PORT', '"8788"', 'GATELOG_API_PORT is "\\"8788\\"", which is not a whole number; write a whole number from 0 to 65535.'],
    ['GATELOG_API_PORT', '70000', 'GATELOG_API_PORT is 70000, which is too large; write a whole number from 0 to 65535.'],
    ['GATELOG_GATEWAY_WORKERS', '0', 'GATELOG_GATEWAY_WORKERS is 0, which is too small; write a whole number from 1 to 64.'],
    [
      'GATELOG_KEY_STALE_MAX',
      '600',
      'GATELOG_KEY_STALE_MAX is "600", which is not a duration with its unit; write a whole number with a unit (ms, s, m, h, d) from 0 to 1d, for example 10m.',
    ],
    [
      'GATELOG_SPOOL_MAX_BYTES',
      '4GB',
      'GATELOG_SPOOL_MAX_BYTES is "4GB", which is not a size; write a number of bytes from 16MiB to 1024GiB, plain or with KiB, MiB or GiB.',
    ],
    [
      'GATELOG_ROUTE_MAX_BYTES',
      '17MiB',
      'GATELOG_ROUTE_MAX_BYTES is 17MiB, which is too large; write a number of bytes from 1KiB to 16MiB, plain or with KiB, MiB or GiB.',
    ],
    ['GATELOG_SPOOL_SYNC', 'never', 'GATELOG_SPOOL_SYNC is "never", which is not one of its choices; write interval or always.'],
    [
      'GATELOG_REGION',
      'US',
      'GATELOG_REGION is "US", which is not the name of a region; write up to 16 lower-case letters, digits and hyphens that start with a letter, for example us.',
    ],
    [
      'GATELOG_HOST',
      'localhost:80',
      'GATELOG_HOST is "localhost:80", which is neither an IP address nor a host name; write an IP address or a host name, without a port.',
    ],
    [
      'GATELOG_PUBLIC_API_URL',
      'ftp://a.example',
      'GATELOG_PUBLIC_API_URL starts with ftp:, which does not work here; write an address that starts with https:// or http://, without user name, query or fragment.',
    ],
    [
      'GATELOG_CORS_ORIGINS',
      'https://app.example.com/page',
      'GATELOG_CORS_ORIGINS has the entry "https://app.example.com/page", which is not an origin; write origins with commas between, each a scheme, a host and a port where it is not the usual one, for example https://app.example.com, or *.',
    ],
    [
      'GATELOG_COUNTRY_HEADER',
      'cf-ipcountry:',
      'GATELOG_COUNTRY_HEADER is "cf-ipcountry:", which is not the name of a header; write the name of one request header, without a colon.',
    ],
    [
      'GATELOG_TARGET_ALLOWLIST',
      'good.example,10.0.0.0/33',
      'GATELOG_TARGET_ALLOWLIST has the entry "10.0.0.0/33", which is neither a host nor a CIDR; write entries with commas between, each a host, host:port, [IPv6]:port or CIDR, for example localhost:9101,10.0.0.0/8.',
    ],
  ])('in %s=%s says what is wrong and what to write', (name, text, sentence) => {
    expect(sentencesOf({ [name]: text })).toEqual([sentence]);
  });

  test.each([['us'], ['US=https://a.example'], ['us=nowhere'], ['us=https://a.example,us=https://b.example']])(
    'is found in GATELOG_REGIONS=%s',
    (text) => {
      expect(sentencesOf({ GATELOG_REGIONS: text })).toHaveLength(1);
    },
  );

  test.each([
    ['GATELOG_SPOOL_MAX_BYTE', 'write GATELOG_SPOOL_MAX_BYTES if that is meant, or remove it'],
    ['GATELOG_AP_PORT', 'write GATELOG_API_PORT if that is meant, or remove it'],
    ['GATELOG_DATADIR', 'write GATELOG_DATA_DIR if that is meant, or remove it'],
    ['GATELOG_PROVIDER_OPENAI', 'write GATELOG_PROVIDER_<NAME>_URL or GATELOG_PROVIDER_<NAME>_KEY'],
    ['GATELOG_ZEBRA_STRIPES', 'remove it; `gatelog config` lists all settings'],
  ])('in the name %s offers the nearest one', (name, remedy) => {
    expect(sentencesOf({ [name]: '1' })).toEqual([`${name} is not a setting; ${remedy}.`]);
  });

  test('does not hide the others', () => {
    expect(
      sentencesOf({ GATELOG_API_PORT: 'x', GATELOG_HOST: '-', GATELOG_NOPE_NOPE: '1', GATELOG_PROVIDER_OPENAI_URL: 'x' }),
    ).toHaveLength(4);
  });

  test('is a contradiction between settings that are fine alone', () => {
    expect(sentencesOf({ GATELOG_API_PORT: '9000', GATELOG_GATEWAY_PORT: '9000' })).toEqual([
      "GATELOG_API_PORT is 9000, which is the gateway's port too; write another port.",
    ]);
    expect(sentencesOf({ GATELOG_API_PORT: '0', GATELOG_GATEWAY_PORT: '0' })).toEqual([]);
    expect(sentencesOf({ GATELOG_SPOOL_MAX_BYTES: '32MiB' })).toHaveLength(1);
    const batch = { GATELOG_INGEST_BATCH_BYTES: '20MiB' };
    expect(sentencesOf({ ...batch, GATELOG_STORE_SPARE_BYTES: '39MiB' })).toEqual([
      'GATELOG_STORE_SPARE_BYTES is smaller than 2 batches of records, so that one that is under way could fill the disk; write at least 2 times the value of GATELOG_INGEST_BATCH_BYTES.',
    ]);
    expect(sentencesOf({ ...batch, GATELOG_STORE_SPARE_BYTES: '40MiB' })).toEqual([]);
    expect(sentencesOf({ ...batch, GATELOG_STORE_SPARE_BYTES: '39MiB', GATELOG_CLICKHOUSE_URL: 'http://ch:8123' })).toEqual([]);
  });
});

describe('a secret', () => {
  const secret = 'hunter2hunter2hunter2';
  test.each([
    { GATELOG_BOOTSTRAP_API_KEY: `${secret} with spaces` },
    { GATELOG_CLICKHOUSE_URL: `http://u:${secret}@ch \u{e9}` },
    { GATELOG_PROVIDER_OPENAI_KEY: `${secret}\u{e9}` },
    { GATELOG_PROVIDER_OPENAI_URL: `https://u:${secret}@a.example` },
    { GATELOG_PROVIDER_OPENAI_URL: secret },
    { GATELOG_PUBLIC_API_URL: `https://a.example/?key=${secret}` },
    { GATELOG_REGIONS: `us=https://u:${secret}@a.example` },
  ])('is not in the fault about it: %o', (environment) => {
    const sentences = sentencesOf(environment);
    expect(sentences).toHaveLength(1);
    expect(sentences.join()).not.toContain('hunter2');
  });

  test('is printed as set', () => {
    const printed = printConfig(
      configOf({
        GATELOG_BOOTSTRAP_API_KEY: secret,
        GATELOG_CLICKHOUSE_URL: `http://u:${secret}@ch:8123`,
        GATELOG_DATABASE_URL: `postgres://u:${secret}@pg`,
        GATELOG_REDIS_URL: `redis://u:${secret}@cache`,
        GATELOG_PROVIDER_OPENAI_KEY: secret,
      }),
    );
    expect(printed).not.toContain('hunter2');
    for (const name of [
      'GATELOG_BOOTSTRAP_API_KEY',
      'GATELOG_CLICKHOUSE_URL',
      'GATELOG_DATABASE_URL',
      'GATELOG_REDIS_URL',
      'GATELOG_PROVIDER_OPENAI_KEY',
    ]) {
      expect(printed).toMatch(new RegExp(`^${name} +set `, 'm'));
    }
  });
});

describe('the printed table', () => {
  test('has a row for every setting, with its value and default in the form that can be written', () => {
    const printed = printConfig(configOf({ GATELOG_SPOOL_MAX_BYTES: '8GiB', GATELOG_KEY_STALE_MAX: '90s' }));
    for (const [, { name }] of settingRows) expect(printed).toMatch(new RegExp(`^${name} `, 'm'));
    expect(printed).toMatch(/^GATELOG_SPOOL_MAX_BYTES +8GiB +4GiB /m);
    expect(printed).toMatch(/^GATELOG_KEY_STALE_MAX +90s +10m /m);
    expect(printed).toMatch(/^GATELOG_BOOTSTRAP_API_KEY +not set +- /m);
    expect(printed).toMatch(/^GATELOG_REGIONS +none +none /m);
  });

  test('explains the settings of a provider, whether one is set or not', () => {
    for (const environment of [{}, { GATELOG_PROVIDER_OPENAI_URL: 'http://127.0.0.1:9101/v1' }]) {
      const printed = printConfig(configOf(environment));
      expect(printed).toMatch(
        /^GATELOG_PROVIDER_<NAME>_URL +- +- +- +Base address of a provider .* one of OPENAI, ANTHROPIC, .*VLLM, LMSTUDIO\.$/m,
      );
      expect(printed).toMatch(/^GATELOG_PROVIDER_<NAME>_KEY +- +- +- +The deployment's own key/m);
      expect(/^GATELOG_PROVIDER_OPENAI_URL +http/m.test(printed)).toBe('GATELOG_PROVIDER_OPENAI_URL' in environment);
    }
  });

  test('promises nothing that is refused', () => {
    const printed = printConfig(configOf({}));
    for (const name of ['GATELOG_DATABASE_URL', 'GATELOG_REDIS_URL']) {
      expect(printed).toMatch(new RegExp(`^${name} .*does not start while this is set\\.$`, 'm'));
    }
  });

  test('shows values that load again to the same configuration', () => {
    const config = configOf({
      GATELOG_REGIONS: 'us=https://a.example',
      GATELOG_TARGET_ALLOWLIST: 'a:1,b',
      GATELOG_HEADER_MAX_BYTES: '9000',
    });
    const rows = printConfig(config)
      .split('\n')
      .slice(1)
      .map((line) => line.split(/ {2,}/));
    const environment: Record<string, string> = Object.fromEntries(
      rows
        .filter(([, value]) => value !== 'not set' && value !== 'none' && value !== '-')
        .map(([name, value]) => [name ?? '', value ?? ''] as const),
    );
    expect(configOf(environment)).toEqual(config);
  });
});
