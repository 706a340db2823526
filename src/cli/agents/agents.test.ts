import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from '@decimalturn/toml-patch';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { runCommand } from '../command.ts';
import { systemDependencies } from '../base/dependencies.ts';
import { agents } from './table.ts';

const key = 'sk-svc-us-0123456789abcdefghijklmnopqrstuv';
let home: string;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'gatelog-agents-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Ran {
  readonly code: number;
  readonly printed: string;
  readonly hinted: string;
}

async function gatelog(...words: readonly string[]): Promise<Ran> {
  const [printed, hinted]: [string[], string[]] = [[], []];
  const environment = { HOME: home, GATELOG_API_KEY: key };
  const dependencies = systemDependencies(environment);
  const code = await runCommand(['agents', ...words], {
    ...dependencies,
    environmentFile: path.join(home, '.env'),
    print: (text) => printed.push(text),
    hint: (text) => hinted.push(text),
  });
  return { code, printed: printed.join('\n'), hinted: hinted.join('\n') };
}

const setUp = (agent: string, ...words: readonly string[]): Promise<Ran> =>
  gatelog('setup', agent, '--write', '--user', 'ada', '--property', 'Repository=harbour', ...words);

function write(name: string, text: string, mode = 0o644): string {
  const file = path.join(home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

const read = (name: string): string => readFileSync(path.join(home, name), 'utf8');
const json = (name: string): unknown => JSON.parse(read(name));

/** Every file below the home folder with its bytes and mode, without what we remember. */
function everything(): Readonly<Record<string, string>> {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => !name.startsWith('.local'));
  return Object.fromEntries(
    names.map((name) => {
      const found = statSync(path.join(home, name));
      const content = found.isFile() ? readFileSync(path.join(home, name)).toString('base64') : 'folder';
      return [name, `${(found.mode & 0o777).toString(8)} ${content}`];
    }),
  );
}

const codexFile = `# mine
model = "gpt-5.2"   # the large one

[projects."/home/ada/harbour"]
trust_level = "trusted"
`;

describe('every agent', () => {
  test.each(agents.map(({ name }) => name))('%s: what was not there before is gone again, with its folders', async (name) => {
    const ran = await setUp(name);
    expect([ran.code, ran.hinted]).toEqual([0, expect.stringContaining('takes the settings back')]);
    expect(Object.keys(everything())).not.toEqual([]);
    expect((await gatelog('undo', name)).code).toBe(0);
    expect(everything()).toEqual({});
  });

  test.each(agents.map(({ name }) => name))('%s: a file that holds the key is its user’s alone, also one that was not', async (name) => {
    await setUp(name);
    const files = Object.keys(everything()).filter((file) => statSync(path.join(home, file)).isFile());
    for (const file of files) chmodSync(path.join(home, file), 0o644);
    const before = everything();
    await gatelog('undo', name, '--keep-changes');
    await setUp(name);
    expect(files.map((file) => (statSync(path.join(home, file)).mode & 0o777).toString(8))).toEqual(files.map(() => '600'));
    expect(Object.keys(everything())).toEqual(Object.keys(before));
  });

  test.each(agents.map(({ name }) => name))('%s: settings are printed without the key, and nothing is written', async (name) => {
    const { code, printed, hinted } = await gatelog('setup', name, '--user', 'ada');
    expect([code, hinted]).toEqual([0, expect.stringContaining('Nothing is written')]);
    expect(printed).not.toContain(key);
    expect(printed).toContain('ada');
    expect(everything()).toEqual({});
    expect((await gatelog('setup', name, '--show-key')).printed).toContain(key);
  });
});

describe('settings as their makers document them', () => {
  test('Claude Code: variables in its settings, beside the others', async () => {
    write('.claude/settings.json', '{\n\t// mine\n\t"model": "opus",\n\t"env": { "EDITOR": "vi" },\n}\n');
    await setUp('claude-code');
    expect(read('.claude/settings.json')).toBe(
      [
        '{',
        '\t// mine',
        '\t"model": "opus",',
        '\t"env": {',
        '\t\t"EDITOR": "vi",',
        '\t\t"ANTHROPIC_BASE_URL": "http://127.0.0.1:8787/anthropic",',
        `\t\t"ANTHROPIC_AUTH_TOKEN": "${key}",`,
        String.raw`		"ANTHROPIC_CUSTOM_HEADERS": "Svc-User-Id: ada\nSvc-Properties: {\"Repository\":\"harbour\"}",`,
        '\t\t"CLAUDE_CODE_GATEWAY_HINT_HEADERS": "1"',
        '\t},',
        '}',
        '',
      ].join('\n'),
    );
  });

  test('Codex: a provider of its own, with comments and tables as they were', async () => {
    write('.codex/config.toml', codexFile);
    await setUp('codex');
    expect(read('.codex/config.toml')).toContain('model = "gpt-5.2"   # the large one\nmodel_provider = "gatelog"\n');
    expect(parse(read('.codex/config.toml'))).toMatchObject({
      projects: { '/home/ada/harbour': { trust_level: 'trusted' } },
      model_providers: {
        gatelog: {
          base_url: 'http://127.0.0.1:8787/v1',
          wire_api: 'responses',
          http_headers: { 'Svc-Auth': `Bearer ${key}`, 'Svc-User-Id': 'ada', 'Svc-Properties': '{"Repository":"harbour"}' },
        },
      },
    });
  });

  test('Qwen Code and Continue: a model before the others of the list', async () => {
    write('.qwen/settings.json', '{"modelProviders": {"openai": [{"id": "gpt-5-mini", "name": "mine"}]}}');
    write('.continue/config.yaml', '# mine\nname: Work\nmodels:\n  - name: mine\n    provider: ollama\n');
    await setUp('qwen', '--model', 'gpt-5');
    await setUp('continue', '--model', 'gpt-5');
    expect(json('.qwen/settings.json')).toMatchObject({
      env: { GATELOG_AGENT_KEY: key },
      model: { name: 'gpt-5' },
      modelProviders: { openai: [{ id: 'gpt-5', envKey: 'GATELOG_AGENT_KEY' }, { name: 'mine' }] },
    });
    expect(read('.continue/config.yaml')).toMatch(/^# mine\nname: Work\n/);
    expect(parseYaml(read('.continue/config.yaml'))).toMatchObject({
      name: 'Work',
      models: [{ name: 'Gatelog', apiKey: key }, { name: 'mine' }],
    });
  });

  test('Gemini CLI: lines for the shell, with a session for each shell', async () => {
    const { printed } = await gatelog('setup', 'gemini', '--user', 'ada', '--gateway', 'https://gate.example.com/', '--show-key');
    expect(printed).toContain('export GOOGLE_GEMINI_BASE_URL=https://gate.example.com/gemini');
    expect(printed).toContain(`export GEMINI_API_KEY=${key}`);
    expect(printed).toContain(`export GEMINI_CLI_CUSTOM_HEADERS="Svc-Session-Id:gemini-$(date +%s), "'Svc-User-Id:ada'`);
  });
});

describe('undo', () => {
  test('gives files their bytes and modes back, of any line ends, with a byte order mark and without a line end', async () => {
    write('.claude/settings.json', '\u{feff}{\r\n  "model": "opus"\r\n}', 0o640);
    write('.codex/config.toml', codexFile.trimEnd());
    write('.continue/config.yaml', 'models:   # none\n- {name: a,   model: b}\n', 0o600);
    const before = everything();
    for (const name of ['claude-code', 'codex', 'continue']) await setUp(name);
    expect(everything()).not.toEqual(before);
    for (const name of ['claude-code', 'codex', 'continue']) expect((await gatelog('undo', name)).code).toBe(0);
    expect(everything()).toEqual(before);
  });

  test('does so behind a second set-up with another key and model too', async () => {
    write('.codex/config.toml', codexFile);
    const before = everything();
    await setUp('codex');
    expect((await setUp('codex', '--gateway', 'http://other:1')).code).toBe(0);
    expect(read('.codex/config.toml')).toContain('http://other:1/v1');
    await gatelog('undo', 'codex');
    expect(everything()).toEqual(before);
  });

  test('refuses where others have changed the file, and takes out our settings alone when told so', async () => {
    const file = write('.codex/config.toml', codexFile);
    await setUp('codex');
    writeFileSync(file, read('.codex/config.toml').replace('[projects.', '[projects."/tmp"]\ntrust_level = "untrusted"\n\n[projects.'));
    const changed = read('.codex/config.toml');
    const { code, hinted } = await gatelog('undo', 'codex');
    expect([code, hinted]).toEqual([
      1,
      expect.stringContaining('~/.codex/config.toml has other changes since the set-up, which would be lost.'),
    ]);
    expect(read('.codex/config.toml')).toBe(changed);
    expect((await gatelog('undo', 'codex', '--keep-changes')).code).toBe(0);
    expect(read('.codex/config.toml')).toBe(codexFile.replace('[projects.', '[projects."/tmp"]\ntrust_level = "untrusted"\n\n[projects.'));
    expect(statSync(file).mode & 0o777).toBe(0o644);
    expect((await gatelog('undo', 'codex')).hinted).toContain('Codex is not set up');
  });

  test('minds no change of our own settings', async () => {
    const file = write('.claude/settings.json', '{"model": "opus"}\n');
    await setUp('claude-code');
    writeFileSync(file, read('.claude/settings.json').replace('Svc-User-Id: ada', 'Svc-User-Id: eve'));
    expect((await gatelog('undo', 'claude-code')).code).toBe(0);
    expect(read('.claude/settings.json')).toBe('{"model": "opus"}\n');
  });

  test('a second set-up counts what others have changed as theirs', async () => {
    const file = write('.claude/settings.json', '{"model": "opus"}\n');
    await setUp('claude-code');
    writeFileSync(file, read('.claude/settings.json').replace('"opus"', '"sonnet"'));
    await setUp('claude-code');
    expect((await gatelog('undo', 'claude-code')).code).toBe(0);
    expect(json('.claude/settings.json')).toEqual({ model: 'sonnet' });
  });

  test('gives back settings of the same name', async () => {
    write('.codex/config.toml', 'model_provider = "work"\n[model_providers.work]\nname = "w"\n');
    write('.claude/settings.json', '{"env": {"ANTHROPIC_BASE_URL": "https://work.example.com"}}');
    const before = everything();
    for (const name of ['codex', 'claude-code']) await setUp(name);
    write('.claude/settings.json', read('.claude/settings.json').replace(/\}\s*$/, ', "model": "opus"}'));
    expect((await gatelog('undo', 'claude-code', '--keep-changes')).code).toBe(0);
    expect(json('.claude/settings.json')).toEqual({ model: 'opus', env: { ANTHROPIC_BASE_URL: 'https://work.example.com' } });
    await gatelog('undo', 'codex');
    expect(everything()['.codex/config.toml']).toBe(before['.codex/config.toml']);
  });

  test('a link stays a link', async () => {
    const real = write('dotfiles/settings.json', '{}\n');
    mkdirSync(path.join(home, '.claude'));
    symlinkSync(real, path.join(home, '.claude/settings.json'));
    await setUp('claude-code');
    expect(readFileSync(real, 'utf8')).toContain(key);
    await gatelog('undo', 'claude-code');
    expect(readFileSync(real, 'utf8')).toBe('{}\n');
    expect(readdirSync(path.join(home, '.claude'), { withFileTypes: true }).map((entry) => entry.isSymbolicLink())).toEqual([true]);
  });
});

describe('what cannot be changed stays as it is', () => {
  test.each([
    ['no JSON', '.claude/settings.json', '{"model": ', 'claude-code'],
    ['a list', '.claude/settings.json', '[]', 'claude-code'],
    ['another thing in the way', '.claude/settings.json', '{"env": "none"}', 'claude-code'],
    ['a member that is there twice', '.claude/settings.json', '{"env": {"A": "1"}, "env": {"B": "2"}}', 'claude-code'],
    ['no TOML', '.codex/config.toml', 'model = \n', 'codex'],
    ['no YAML', '.continue/config.yaml', 'models: [\n', 'continue'],
    ['a map for a list', '.continue/config.yaml', 'models: {a: 1}\n', 'continue'],
  ])('%s', async (_, name, text, agent) => {
    const file = write(name, text);
    const { code, hinted } = await setUp(agent);
    expect([code, hinted]).toEqual([1, expect.stringContaining(`${file} cannot be changed: `)]);
    expect(read(name)).toBe(text);
    expect(existsSync(path.join(home, '.local'))).toBe(false);
  });

  test('bytes that are no UTF-8', async () => {
    const file = write('.claude/settings.json', '');
    writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]));
    expect((await setUp('claude-code')).hinted).toContain('is not UTF-8');
    expect(readFileSync(file)).toEqual(Buffer.from([0x7b, 0xff, 0x7d]));
  });
});

describe('what is asked for', () => {
  test.each([
    [['setup', 'emacs'], 2, 'There is no agent "emacs"; there are claude-code, codex, '],
    [['setup', 'codex', '--gateway', 'localhost'], 2, '--gateway takes the address'],
    [['setup', 'codex', '--user', 'a"b'], 2, '--user takes letters'],
    [['setup', 'codex', '--user', '$HOME'], 2, '--user takes letters'],
    [['setup', 'codex', '--property', 'Repository'], 2, '--property takes a name and a value'],
    [['undo', 'codex'], 1, 'Codex is not set up by "gatelog agents setup" here.'],
  ] as const)('%j is refused', async (words, code, sentence) => {
    expect(await gatelog(...words)).toMatchObject({ code, hinted: expect.stringContaining(sentence) as string });
  });

  test('the list tells where programs are, which are set up, and what changed since', async () => {
    write('bin/codex', '#!/bin/sh\n', 0o755);
    await setUp('codex');
    const dependencies = systemDependencies({ HOME: home, PATH: `/nowhere:${path.join(home, 'bin')}` });
    const list = async (): Promise<string[]> => {
      const printed: string[] = [];
      await runCommand(['agents', 'list'], { ...dependencies, print: (text) => printed.push(text) });
      return printed.join('\n').split('\n');
    };
    const [head = '', ...rows] = await list();
    expect(head).toMatch(/^AGENT +NAME +PROGRAM +GATEWAY$/);
    expect(rows.find((row) => row.startsWith('codex'))).toMatch(/~\/bin\/codex +http:\/\/127\.0\.0\.1:8787$/);
    expect(rows.find((row) => row.startsWith('pi'))).toMatch(/not found +not set up$/);
    write('.codex/config.toml', `${read('.codex/config.toml')}# mine\n`);
    expect((await list()).find((row) => row.startsWith('codex'))).toMatch(/8787, changed since$/);
  });
});
