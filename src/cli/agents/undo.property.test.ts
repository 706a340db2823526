import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify as writeToml } from '@decimalturn/toml-patch';
import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  dictionary,
  integer,
  letrec,
  oneof,
  record,
  string,
} from 'fast-check';
import { stringify as writeYaml } from 'yaml';
import { afterAll, expect, test } from 'vitest';
import { byLength, testSeed } from '../../../test/support/test-length.ts';
import { systemDependencies } from '../base/dependencies.ts';
import { setUpAgent } from './set-up.ts';
import { agents } from './table.ts';
import { undoAgent } from './undo.ts';

const made: string[] = [];
afterAll(() => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const key = 'sk-svc-us-0123456789abcdefghijklmnopqrstuv';
const name = oneof(
  constantFrom('env', 'provider', 'providers', 'models', 'model', 'security', 'openai', 'anthropic', 'options', 'gatelog', '__proto__'),
  string({ unit: 'grapheme', maxLength: 8 }),
);
const scalar = oneof(string({ unit: 'grapheme', maxLength: 12 }), integer(), boolean(), constantFrom(0.5, -12.25));
const { group } = letrec((tie) => ({
  value: oneof({ depthSize: 'small', withCrossShrink: true }, scalar, array(scalar, { maxLength: 3 }), tie('group')),
  group: dictionary(name, tie('value'), { maxKeys: 4 }),
}));

/** A file of settings in each language, as people and programs write them. */
const texts: Readonly<Record<string, Arbitrary<string>>> = {
  json: record({
    value: group,
    indent: constantFrom(0, 2, 4, '\t'),
    eol: constantFrom('\n', '\r\n'),
    comment: boolean(),
    end: boolean(),
  }).map(({ value, indent, eol, comment, end }) => {
    const text = JSON.stringify(value, null, indent).replace(/^\{/, comment ? '{ // mine, "env": {}\n' : '{');
    return text.replaceAll('\n', eol) + (end ? eol : '');
  }),
  toml: record({ value: group, comment: boolean(), end: boolean() }).map(({ value, comment, end }) => {
    const text = writeToml(value);
    return (comment ? `# mine\n${text}` : text).trimEnd() + (end ? '\n' : '   # last');
  }),
  yaml: record({ value: group, flow: boolean(), indentSeq: boolean(), comment: boolean() }).map(({ value, flow, indentSeq, comment }) => {
    const text = writeYaml(value, { indentSeq, ...(flow ? { collectionStyle: 'flow' as const } : {}) });
    return comment ? `# mine\n\n${text}\n# last\n` : text;
  }),
};

test.each(agents.map((agent) => [agent.name, agent] as const))(
  '%s: whatever valid file there was, undo brings its bytes and mode back, or the set-up was refused and changed nothing',
  async (agentName, agent) => {
    const connection = { gateway: 'http://g', key, user: 'ada', properties: {}, model: 'm', at: 0 };
    const [settings] = agent.files(connection, { home: '/home/ada', environment: {} });
    const below = path.relative('/home/ada', settings?.path ?? '');
    let changed = 0;
    const property = asyncProperty(texts[settings?.format ?? ''] ?? constant(''), constantFrom(0o600, 0o644), async (text, mode) => {
      const home = mkdtempSync(path.join(tmpdir(), 'gatelog-undo-'));
      made.push(home);
      const file = path.join(home, below);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text, { mode });
      const dependencies = { ...systemDependencies({ HOME: home, GATELOG_API_KEY: key }), print: () => undefined, hint: () => undefined };
      const isSetUp = await setUpAgent(dependencies, agentName, { model: 'm', user: 'ada', write: true }).then(
        () => true,
        (error: unknown) => {
          expect(String(error)).toMatch(/is no group of settings|is no list|is it there twice/);
          return false;
        },
      );
      const isChanged = readFileSync(file, 'utf8') !== text;
      if (isSetUp) undoAgent(dependencies, agentName, {});
      changed += isChanged ? 1 : 0;
      expect([isChanged, readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([isSetUp, text, mode]);
      rmSync(home, { recursive: true });
    });
    const numRuns = byLength(40, 500);
    await assert(property, { numRuns, seed: testSeed() });
    expect(changed).toBeGreaterThan(numRuns / 2);
  },
);
