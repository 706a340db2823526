import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GivenVariables, loadGiven, readVariables } from './given.ts';
import { type Config, faultSentence } from './load.ts';
import { printConfig } from './print.ts';

const machine = { cores: 4 };
let folder: string;
let file: string;
const inFolder = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-given-'));
  file = path.join(folder, '.env');
});
afterEach(() => rmSync(folder, { recursive: true }));

function configOf(given: GivenVariables): Config {
  const loaded = loadGiven(given, machine);
  if ('faults' in loaded) throw new Error(loaded.faults.map(faultSentence).join('\n'));
  return loaded.config;
}

function sentencesOf(environment: Record<string, string>): readonly string[] {
  const loaded = loadGiven(readVariables(environment, file), machine);
  return 'faults' in loaded ? loaded.faults.map((fault) => faultSentence(fault).replaceAll(`${folder}/`, '')) : [];
}

const linesOf = (given: GivenVariables, columns?: number): readonly string[] =>
  printConfig(configOf(given), { machine, columns, given }).replaceAll(`${folder}/`, '').split('\n');

describe('a file .env', () => {
  it('gives the settings that the environment lacks, and nothing else', () => {
    inFolder(
      '.env',
      '# ours\nexport GATELOG_HOST="::1"\nGATELOG_REGION=eu\nGATELOG_STREAMS=7\nGATELOG_API_KEY=of-file\nNODE_OPTIONS=--inspect\n',
    );
    const given = readVariables({ GATELOG_REGION: 'us', GATELOG_STREAMS: '', HOME: '/root' }, file);
    expect(given.values).toEqual({ GATELOG_HOST: '::1', GATELOG_REGION: 'us', GATELOG_STREAMS: '', HOME: '/root' });
    expect(configOf(given)).toMatchObject({ host: '::1', region: 'us', streams: 100 });
  });

  it('may be missing', () => {
    expect(readVariables({ GATELOG_REGION: 'us' }, file)).toEqual({ values: { GATELOG_REGION: 'us' }, places: new Map(), faults: [] });
  });

  it('has faults with their lines, those of its values and those of the environment together', () => {
    inFolder(
      '.env',
      'GATELOG_HOST=0.0.0.0\n\nGATELOG_STREAMS=many\nGATELOG_PROT=1\nGATELOG_REGION: eu\nGATELOG_API_PORT=1\nGATELOG_API_PORT=x\n',
    );
    expect(sentencesOf({ GATELOG_LOG_LEVEL: 'loud' })).toEqual([
      '.env:5: GATELOG_REGION is not set by this line; write GATELOG_REGION=<value>, below lines that have a = or begin with #.',
      '.env:7: GATELOG_API_PORT is "x", which is not a whole number; write a whole number from 0 to 65535.',
      '.env:3: GATELOG_STREAMS is "many", which is not a whole number; write a whole number from 0 to 10000.',
      'GATELOG_LOG_LEVEL is "loud", which is not one of its choices; write silent or error or warn or info or debug.',
      expect.stringMatching(/^\.env:4: GATELOG_PROT is not a setting; /),
    ]);
  });

  it('that cannot be used is a fault', () => {
    inFolder('.env', '#'.repeat(1024 * 1024 + 1));
    expect(sentencesOf({})).toEqual(['.env cannot be read (it has more than 1048576 bytes); repair it, or remove it.']);
  });
});

describe('a file of a secret', () => {
  const secret = 'a-secret-of-more-than-thirty-two-characters';

  it.each([
    ['GATELOG_SECRET_KEY', (config: Config) => config.secretKey],
    ['GATELOG_METRICS_KEY', (config: Config) => config.metricsKey],
    ['GATELOG_PROVIDER_OPENAI_KEY', (config: Config) => config.providers['openai']?.key],
  ])('gives %s without its last line break, and what starts with it has no other name', (name, valueOf) => {
    for (const end of ['', '\n', '\r\n']) {
      const given = readVariables({ [`${name}_FILE`]: inFolder('secret', secret + end) }, file);
      expect(valueOf(configOf(given))).toBe(secret);
      expect(given.values).toEqual({ [name]: secret, [`${name}_FILE`]: undefined });
    }
  });

  it('may be named in .env, unless the environment has the secret itself', () => {
    inFolder('.env', `GATELOG_METRICS_KEY_FILE=${inFolder('secret', secret)}\n`);
    expect(configOf(readVariables({}, file)).metricsKey).toBe(secret);
    const own = 'of-the-environment';
    expect(configOf(readVariables({ GATELOG_METRICS_KEY: own }, file)).metricsKey).toBe(own);
  });

  it('in the environment wins over a secret in .env', () => {
    inFolder('.env', 'GATELOG_METRICS_KEY=of-the-file-.env\n');
    expect(configOf(readVariables({ GATELOG_METRICS_KEY_FILE: inFolder('secret', secret) }, file)).metricsKey).toBe(secret);
  });

  it('counts as unset where its variable is empty', () => {
    expect(configOf(readVariables({ GATELOG_METRICS_KEY_FILE: '' }, file)).metricsKey).toBeUndefined();
  });

  it('stops the start beside the secret itself, and where it cannot be used; the content is in no message', () => {
    const given = inFolder('secret', `${secret}\u{e9}`);
    const unreadable = inFolder('unreadable', secret);
    chmodSync(unreadable, 0);
    const remedy = 'write the path of a file that holds the secret alone.';
    const isRoot = process.getuid?.() === 0;
    expect(
      sentencesOf({
        GATELOG_SECRET_KEY: secret,
        GATELOG_SECRET_KEY_FILE: given,
        GATELOG_METRICS_KEY_FILE: path.join(folder, 'none'),
        GATELOG_PROVIDER_OPENAI_KEY_FILE: inFolder('empty', '\n'),
        GATELOG_PROVIDER_GROQ_KEY_FILE: folder,
        GATELOG_PROVIDER_ANTHROPIC_KEY_FILE: given,
        ...(isRoot ? {} : { GATELOG_PROVIDER_MISTRAL_KEY_FILE: unreadable }),
      }),
    ).toEqual([
      'GATELOG_SECRET_KEY_FILE is set beside GATELOG_SECRET_KEY; set one of the two.',
      `GATELOG_METRICS_KEY_FILE names none, which does not exist; ${remedy}`,
      `GATELOG_PROVIDER_OPENAI_KEY_FILE names empty, which is empty; ${remedy}`,
      `GATELOG_PROVIDER_GROQ_KEY_FILE names ${folder}, which is no file; ${remedy}`,
      ...(isRoot ? [] : [`GATELOG_PROVIDER_MISTRAL_KEY_FILE names unreadable, which this user cannot read (EACCES); ${remedy}`]),
      expect.stringMatching(/^secret: GATELOG_PROVIDER_ANTHROPIC_KEY holds a space or a character outside visible ASCII; /),
    ]);
  });

  it('is there for secrets alone', () => {
    expect(sentencesOf({ GATELOG_HOST_FILE: 'x' })).toEqual([
      'GATELOG_HOST_FILE is not a setting; write GATELOG_HOST if that is meant, or remove it.',
    ]);
  });
});

describe('what `gatelog config` prints', () => {
  it('says where each value comes from, and no secret', () => {
    const secret = 'hunter2hunter2hunter2';
    inFolder('.env', `\nGATELOG_REGION=eu\nGATELOG_METRICS_KEY_FILE=${inFolder('metrics-key', secret)}\n`);
    const given = readVariables({ GATELOG_HOST: '::', GATELOG_REGIONS: '' }, file);
    const lines = linesOf(given);
    expect(lines.join()).not.toContain('hunter2');
    const from = (name: string): string | undefined => lines.find((line) => line.startsWith(`${name} `))?.split(/ {2,}/)[3];
    expect(['GATELOG_HOST', 'GATELOG_REGION', 'GATELOG_METRICS_KEY', 'GATELOG_REGIONS', 'GATELOG_API_PORT'].map(from)).toEqual([
      'environment',
      '.env:2',
      'metrics-key',
      '-',
      '-',
    ]);
    const paragraphs = linesOf(given, 100);
    expect(paragraphs).toEqual(
      expect.arrayContaining([
        'GATELOG_HOST = :: (default 127.0.0.1; from the environment)',
        'GATELOG_REGION = eu (default us; from .env:2)',
        'GATELOG_METRICS_KEY = set (from metrics-key)',
        'GATELOG_API_PORT = 8788',
      ]),
    );
  });
});
