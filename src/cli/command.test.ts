import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hashKey } from '../auth/api-key.ts';
import { makeKeyLookUp } from '../metadata/organization/api-keys.ts';
import { openMigratedMetadata } from '../metadata/migrate.ts';
import { buildProgram, runCommand } from './command.ts';
import { systemDependencies } from './base/dependencies.ts';
import { asInvoked } from './base/invocation-text.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-cli-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const containing = (part: string): unknown => expect.stringContaining(part);

interface Outcome {
  readonly code: number;
  readonly printed: string;
  readonly hinted: string;
}

async function gatelog(words: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> {
  const printed: string[] = [];
  const hinted: string[] = [];
  const code = await runCommand(words, {
    ...systemDependencies({ GATELOG_DATA_DIR: folder, ...environment }),
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    print: (text) => printed.push(text),
    hint: (text) => hinted.push(text),
  });
  return { code, printed: printed.join('\n'), hinted: hinted.join('\n') };
}

describe('before the first start', () => {
  test('organisations and keys can be made, listed and revoked', async () => {
    expect(await gatelog(['orgs', 'create', 'acme'])).toMatchObject({
      code: 0,
      printed: matching(/^[0-9a-f-]{36}$/),
      hinted: containing('gatelog keys create --org "acme"'),
    });
    const created = await gatelog(['keys', 'create', '--org', 'acme', '--permissions', 'admin', '--name', 'laptop'], {
      GATELOG_REGION: 'eu',
    });
    expect(created).toMatchObject({ code: 0, printed: matching(/^sk-svc-eu-\w{32}$/) });
    expect(created.hinted).not.toContain(created.printed);

    const prefix = created.printed.slice(0, 14);
    const listed = await gatelog(['keys', 'list']);
    expect(listed.printed).toMatch(/^ID +KEY +PERMISSIONS +CREATED +STATE +ORGANISATION +NAME$/m);
    expect(listed.printed).toMatch(new RegExp(`^[0-9a-f-]{36} +${prefix}… +admin +2026-01-02T03:04:05.678Z +active +acme +laptop$`, 'm'));
    expect(listed.printed).not.toContain(created.printed);
    expect(listed.printed).not.toContain(hashKey(created.printed));
    expect((await gatelog(['orgs', 'list'])).printed).toMatch(/2026-01-02T03:04:05.678Z +acme$/m);

    expect(await gatelog(['keys', 'revoke', `${prefix}…`])).toMatchObject({ code: 0, hinted: containing('within 5 seconds') });
    expect((await gatelog(['keys', 'list', '--org', 'acme'])).printed).toContain('revoked 2026-01-02T03:04:05.678Z');
    expect(await gatelog(['keys', 'revoke', prefix])).toMatchObject({ code: 1, hinted: 'This key is already revoked.' });
  });
});

test('beside a running service a new key is seen at once, and so is the end of one', async () => {
  await gatelog(['orgs', 'create', 'acme']);
  const service = await openMigratedMetadata(folder, 'gateway', Date.now);
  const lookUp = makeKeyLookUp(service);
  const { printed: key } = await gatelog(['keys', 'create', '--org', 'acme']);
  expect(lookUp(hashKey(key))).toMatchObject({ permissions: 'rw' });
  expect(await gatelog(['keys', 'revoke', key])).toMatchObject({ code: 0 });
  expect(lookUp(hashKey(key))).toBeUndefined();
  await service.close();
});

test('a prefix that two keys share is not enough', async () => {
  await gatelog(['orgs', 'create', 'acme']);
  const service = await openMigratedMetadata(folder, 'core', Date.now);
  const ids = [await gatelog(['keys', 'create', '--org', 'acme']), await gatelog(['keys', 'create', '--org', 'acme'])];
  await service.queries.updateTable('api_keys').set({ prefix: 'sk-svc-us-same' }).execute();
  await service.close();
  expect(ids.map(({ code }) => code)).toEqual([0, 0]);
  expect(await gatelog(['keys', 'revoke', 'sk-svc-us-same'])).toMatchObject({
    code: 1,
    printed: '',
    hinted: matching(/^2 keys start like that; name one by its id: [0-9a-f-]{36}, [0-9a-f-]{36}\.$/),
  });
});

describe('in a folder without data', () => {
  test.each([[['orgs', 'list']], [['keys', 'list']], [['keys', 'create', '--org', 'acme']], [['keys', 'revoke', 'sk-svc-us-none']]])(
    '%j makes nothing and says which setting names the folder',
    async (words) => {
      const elsewhere = path.join(folder, 'elsewhere');
      for (const dataDir of [elsewhere, folder]) {
        expect(await gatelog(words, { GATELOG_DATA_DIR: dataDir })).toEqual({
          code: 1,
          printed: '',
          hinted: `There is no Gatelog data in ${dataDir}. Set GATELOG_DATA_DIR to the folder that "gatelog serve" shows as Data, or begin here with "gatelog serve" or "gatelog orgs create NAME".`,
        });
      }
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test('the first organisation makes it, and says where', async () => {
    const dataDir = path.join(folder, 'fresh');
    expect((await gatelog(['orgs', 'create', 'acme'], { GATELOG_DATA_DIR: dataDir })).hinted).toContain(
      `Made the data folder ${dataDir}; GATELOG_DATA_DIR names another.`,
    );
    expect((await gatelog(['orgs', 'create', 'more'], { GATELOG_DATA_DIR: dataDir })).hinted).not.toContain('Made the data folder');
  });
});

describe('a failure is one sentence and exit code 1', () => {
  beforeEach(async () => {
    await gatelog(['orgs', 'create', 'first']);
  });

  test.each([
    [['keys', 'create', '--org', 'nobody'], 'There is no organisation "nobody"; "gatelog orgs list" shows those that exist.'],
    [['keys', 'list', '--org', 'nobody'], 'There is no organisation "nobody"; "gatelog orgs list" shows those that exist.'],
    [['keys', 'revoke', 'nothing'], 'There is no such key; "gatelog keys list" shows ids and prefixes.'],
    [['orgs', 'create', ' '], 'A name has 1 to 128 characters and no control characters.'],
    [['orgs', 'create', 'a\u{1b}[2J'], 'A name has 1 to 128 characters and no control characters.'],
  ])('%j', async (words, sentence) => {
    expect(await gatelog(words)).toEqual({ code: 1, printed: '', hinted: sentence });
  });

  test('also when the organisation is there already', async () => {
    await gatelog(['orgs', 'create', 'acme']);
    expect(await gatelog(['orgs', 'create', 'acme'])).toEqual({
      code: 1,
      printed: '',
      hinted: 'There is an organisation "acme" already; choose another name.',
    });
  });

  test('for every fault of the settings', async () => {
    const { code, hinted } = await gatelog(['orgs', 'list'], { GATELOG_API_PORT: 'x', GATELOG_NOPE_NOPE: '1' });
    expect(code).toBe(1);
    expect(hinted.split('\n')).toHaveLength(2);
  });

  test.each([
    ['the metadata', ['orgs', 'list'], 'GATELOG_DATABASE_URL'],
    ['the metadata', ['orgs', 'create', 'acme'], 'GATELOG_DATABASE_URL'],
    ['the records', ['orgs', 'list'], 'GATELOG_CLICKHOUSE_URL'],
    ['what gateways share', ['orgs', 'list'], 'GATELOG_REDIS_URL'],
  ])('when %s would be elsewhere: %j', async (_what, words, name) => {
    const { code, hinted } = await gatelog(words, { [name]: 'scheme://u:hunter2@host' });
    expect({ code, hinted }).toMatchObject({ code: 1, hinted: containing(name) });
    expect(hinted).not.toContain('hunter2');
  });
});

describe('a command line that cannot be understood is exit code 2', () => {
  test.each([
    [[]],
    [['nonsense']],
    [['keys']],
    [['keys', 'create']],
    [['keys', 'create', '--org', 'a', '--permissions', 'x']],
    [['orgs', 'create']],
    [['config', '--nope']],
    [['help', 'nonsense']],
    [['help', 'keys', 'nonsense']],
  ])('%j', async (words) => {
    const { code, printed, hinted } = await gatelog(words);
    expect({ code, printed }).toEqual({ code: 2, printed: '' });
    expect(hinted).not.toBe('');
  });
});

test('help teaches with examples', async () => {
  expect(await gatelog(['--help'])).toMatchObject({
    code: 0,
    hinted: '',
    printed: containing('export GATELOG_API_KEY=$(gatelog keys create --org acme)'),
  });
  expect((await gatelog(['keys', 'create', '--help'])).printed).toContain('rw: send and read');
});

test.each([
  [['help'], ['--help']],
  [
    ['help', 'serve'],
    ['serve', '--help'],
  ],
  [
    ['help', 'keys'],
    ['keys', '--help'],
  ],
  [
    ['help', 'keys', 'create'],
    ['keys', 'create', '--help'],
  ],
  [['version'], ['--version']],
])('%j is %j', async (words, options) => {
  const answer = await gatelog(words);
  expect(answer).toMatchObject({ code: 0, hinted: '' });
  expect(answer).toEqual(await gatelog(options));
});

test('alone it says on one screen what there is, and where the rest is', async () => {
  const { hinted } = await gatelog([]);
  expect(hinted.split('\n').length).toBeLessThanOrEqual(30);
  const names = buildProgram(systemDependencies({})).commands.map((command) => command.name());
  expect(names.filter((name) => !new RegExp(`^  [A-Z].*\\b${name}(?:,|$)`, 'm').test(hinted))).toEqual([]);
  expect(hinted).toContain('"gatelog help" shows all commands');
  expect((await gatelog(['--help'])).printed).toMatch(/^Start:\n +init .*(?:\n.+)*\n\nLook:\n/m);
});

test('the version is the package’s', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
  expect(await gatelog(['--version'])).toEqual({ code: 0, printed: version, hinted: '' });
});

describe('a command line that cannot be understood says where the help is', () => {
  test.each([
    [['keys', 'create'], 'Try "gatelog keys create --help".'],
    [['keys', 'nonsense'], 'Try "gatelog keys --help".'],
    [['keys', 'nonsense', '--help'], 'Try "gatelog keys --help".'],
    [
      ['serve', '--port', '9000'],
      'Use a setting: GATELOG_PORT, or GATELOG_GATEWAY_PORT and GATELOG_API_PORT, in the environment.\nTry "gatelog serve --help".',
    ],
    [['nonsense'], 'Try "gatelog --help".'],
  ])('%j', async (words, end) => {
    const { code, hinted } = await gatelog(words);
    expect([code, hinted.slice(-end.length)]).toEqual([2, end]);
  });
});

test.each([[['limitz', '--help']], [['-h', 'limitz']], [['limitz', 'list', '--help']]])(
  '%j: the command is not known, help or not',
  async (words) => {
    expect(await gatelog(words)).toEqual(await gatelog(words.filter((word) => !['--help', '-h', 'list'].includes(word))));
    expect(await gatelog(words)).toMatchObject({ code: 2, hinted: containing("unknown command 'limitz'\n(Did you mean limits?)") });
  },
);

test('config with settings that are wrong shows all of them, and says which', async () => {
  const { code, printed, hinted } = await gatelog(['config'], { GATELOG_FOO_BAR: '1', GATELOG_API_PORT: 'x', GATELOG_HOST: '10.0.0.1' });
  expect(code).toBe(1);
  expect(printed).toMatch(/^GATELOG_API_PORT +8788 +8788 /m);
  expect(printed).toMatch(/^GATELOG_HOST +10\.0\.0\.1 /m);
  expect(hinted).toMatch(/\nGATELOG_API_PORT is "x", .*\nGATELOG_FOO_BAR is not a setting; /);
});

test('config fits a terminal, in the order of the names', async () => {
  const printed: string[] = [];
  await runCommand(['config'], { ...systemDependencies({}), columns: 72, print: (text) => printed.push(text) });
  const lines = printed.join('\n').split('\n');
  const names = lines.flatMap((line) => /^(GATELOG_\S+) = /.exec(line)?.[1] ?? []);
  expect(names.length).toBeGreaterThan(60);
  expect(names).toEqual(names.toSorted());
  expect(lines.filter((line) => line.startsWith(' ') && line.length > 72)).toEqual([]);
  expect(lines).toContain('GATELOG_API_PORT = 8788');
});

test.each([
  ['Start it with "gatelog serve".', 'Start it with "npx --no-install gatelog serve".'],
  ['A key for it: gatelog keys create --org acme', 'A key for it: npx --no-install gatelog keys create --org acme'],
  ['remove it; `gatelog config` lists all', 'remove it; `npx --no-install gatelog config` lists all'],
  ['  gatelog metrics --by model', '  npx --no-install gatelog metrics --by model'],
  ['  gatelog report, gatelog import FILE', '  npx --no-install gatelog report, npx --no-install gatelog import FILE'],
  ['  KEY=$(gatelog keys create)', '  KEY=$(npx --no-install gatelog keys create)'],
  ['Usage: gatelog [options] [command]', 'Usage: npx --no-install gatelog [options] [command]'],
  ['Start it with "npx --no-install gatelog serve".', 'Start it with "npx --no-install gatelog serve".'],
  ['mcp add gatelog --env A=B -- gatelog mcp', 'mcp add gatelog --env A=B -- gatelog mcp'],
  ['Try "gatelog --help".', 'Try "npx --no-install gatelog --help".'],
  ['Another gatelog stores them in /data/gatelog serve.', 'Another gatelog stores them in /data/gatelog serve.'],
])('commands are named as they can be run where npm runs this one: %s', (text, asNpm) => {
  expect([asInvoked(text, {}), asInvoked(text, { npm_command: 'exec' })]).toEqual([text, asNpm]);
});

test.each([
  ['./gatelog-0.1.0.tgz', 'npx --package ./gatelog-0.1.0.tgz gatelog serve'],
  ["/tmp/ada's $& files/g.tgz", String.raw`npx --package '/tmp/ada'\''s $& files/g.tgz' gatelog serve`],
])('a program that npx has taken from %s is named so, as no other start works in that folder', (file, shown) => {
  expect(asInvoked('gatelog serve', { npm_command: 'exec', npm_config_package: file })).toBe(shown);
});

test('every command is named as it can be run, with the key going to no other program of that name', () => {
  const names = buildProgram(systemDependencies({})).commands.map((command) => command.name());
  expect(names.map((name) => asInvoked(`gatelog ${name}`, { npm_command: 'exec' }))).toEqual(
    names.map((name) => `npx --no-install gatelog ${name}`),
  );
});

test('config shows settings and no secret, and says beside them what defaults follow', async () => {
  const { code, printed, hinted } = await gatelog(['config'], {
    GATELOG_BOOTSTRAP_API_KEY: 'sk-svc-us-hunter2hunter2',
    GATELOG_PROVIDER_OPENAI_KEY: 'hunter2',
  });
  expect(code).toBe(0);
  expect(printed).toMatch(new RegExp(`^GATELOG_DATA_DIR +${folder} +./data `, 'm'));
  expect(printed).not.toContain('hunter2');
  expect(hinted).toMatch(/^Found here: \d+ cores?, (?:no memory limit|a memory limit of \d+[KMG]?i?B?)\. Defaults follow\.$/);
});
