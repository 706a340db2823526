import type { Planted } from './rule.ts';

/** Files of a folder, each of which imports the one before it. */
const chain = (name: string, count: number, folder = 'src/spool') =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `${folder}/${name}-${index}.ts`,
      index === 0 ? 'export const part = 1;' : `import { part } from './${name}-${index - 1}.ts';`,
    ]),
  );
const longFunction = `function long() {\n${'  step();\n'.repeat(59)}}\n`;

/** Trees for the rules of `rules/shape.ts`. */
export const plantedShapes: readonly Planted[] = [
  {
    rule: 'one thing in a folder',
    title: 'two parts, which only a test and a file of another folder know',
    files: {
      ...chain('read', 4),
      ...chain('write', 5),
      'src/spool/both.test.ts': `import { part } from './read-0.ts';\nimport { part as other } from './write-0.ts';`,
      'src/spool/deeper/both.ts': `import { part } from '../read-0.ts';\nimport { part as other } from '../write-0.ts';`,
    },
    at: ['src/spool/read-0.ts:1', 'src/spool/write-0.ts:1'],
  },
  {
    rule: 'one thing in a folder',
    title: 'many files that one of them holds together, a long list of equals, a small part, and parts in folders of their own',
    files: {
      ...chain('read', 20),
      ...chain('write', 20),
      'src/spool/spool.ts': `import type { Part } from './read-0.ts';\nexport const later = () => import('./write-19.ts');`,
      ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`src/model/noun-${index}.ts`, 'export const noun = 1;'])),
      ...chain('large', 9, 'src/state'),
      ...chain('small', 3, 'src/state'),
      ...chain('one', 5, 'src/sql/one'),
      ...chain('other', 5, 'src/sql/other'),
    },
    at: [],
  },
  {
    rule: 'telling names',
    title: 'a folder of what has such numbers',
    files: { 'src/spool/0010-to-0019/0012-a.ts': '', 'docs/10-19/a.md': '', 'src/spool/0012-a.ts': '' },
    at: ['src/spool/0010-to-0019/0012-a.ts:1', 'docs/10-19/a.md:1'],
  },
  {
    rule: 'telling names',
    title: 'a file after a term that nobody searches for',
    files: { 'src/spool/disk-rig.ts': 'export const disk = 1;' },
    at: ['src/spool/disk-rig.ts:1'],
  },
  {
    rule: 'standard terms',
    title: 'private terms for a class, a type, a function and a bound',
    files: {
      'src/spool/a.ts': [
        'export class Errand {}',
        'export type Leg = string;',
        'export function admit() {}',
        'export const mostBytes = 1;',
        'export const maxBytes = 1, usualBytes = 2;',
      ].join('\n'),
    },
    at: [1, 2, 3, 4, 5].map((line) => `src/spool/a.ts:${line}`),
  },
  {
    rule: 'standard terms',
    title: 'a local name, a longer word, and the terms themselves',
    files: {
      'src/spool/a.ts': 'const admit = 1;\nexport const mostly = admit;\nexport class RequestPlan {}\nexport const constructor = 1;',
    },
    at: [],
  },
  {
    rule: 'standard terms',
    title: 'a word that means many things',
    files: {
      'src/spool/a.ts': [
        'export interface BodyFacts {}',
        'export const ownRows = 1;',
        'export function placeOf() {}',
        'export type WholeFrame = string;',
      ].join('\n'),
      'src/cli/a.ts': 'export const placeOf = 1;',
    },
    at: [1, 2, 3, 4].map((line) => `src/spool/a.ts:${line}`),
  },
  {
    rule: 'standard terms',
    title: 'a word in a longer one',
    files: { 'src/spool/a.ts': 'export const owner = 1, replaced = 2, wholesale = 3, artifacts = 4, placeholder = 5;' },
    at: [],
  },
  {
    rule: 'no barrels',
    title: 'export *',
    files: { 'src/model/a.ts': `export const a = 1;\nexport * from './b.ts';` },
    at: ['src/model/a.ts:2'],
  },
  {
    rule: 'no barrels',
    title: 'named re-exports only',
    files: { 'src/model/a.ts': `export { b } from './b.ts';` },
    at: ['src/model/a.ts:1'],
  },
  {
    rule: 'no barrels',
    title: 'imports passed on',
    files: { 'src/model/a.ts': `import { b } from './b.ts';\nexport { b };` },
    at: ['src/model/a.ts:1'],
  },
  {
    rule: 'no barrels',
    title: 'one re-export beside own code',
    files: { 'src/model/a.ts': `export { b } from './b.ts';\nexport const a = 1;` },
    at: [],
  },
  {
    rule: 'no default exports',
    title: 'a function',
    files: { 'src/model/a.ts': 'export default function () {}' },
    at: ['src/model/a.ts:1'],
  },
  {
    rule: 'no default exports',
    title: 'a renamed export',
    files: { 'scripts/a.mjs': 'const a = 1;\nexport { a as default };' },
    at: ['scripts/a.mjs:2'],
  },
  { rule: 'no default exports', title: 'what a tool asks for', files: { 'vitest.config.ts': 'export default {};' }, at: [] },
  {
    rule: 'telling names',
    title: 'files and folders',
    files: { 'src/api/utils/a.ts': '', 'src/api/text-helpers.ts': '', 'docs/common/index.md': '', 'src/store/Manager.test.ts': '' },
    at: ['src/api/utils/a.ts:1', 'src/api/text-helpers.ts:1', 'docs/common/index.md:1', 'src/store/Manager.test.ts:1'],
  },
  { rule: 'telling names', title: 'a noun that only begins so', files: { 'src/pricing/service-tier.ts': '' }, at: [] },
  {
    rule: 'file length',
    title: 'one line too many',
    files: { 'test/a.ts': 'a();\n'.repeat(401), 'test/b.ts': 'b();\n'.repeat(400) },
    at: ['test/a.ts:401'],
  },
  {
    rule: 'function length',
    title: 'functions, arrows and methods',
    files: {
      'src/model/a.ts': longFunction,
      'src/model/b.ts': longFunction.replace('function long()', 'const long = () =>'),
      'src/model/c.ts': `class C {\n${longFunction.replace('function ', '')}}`,
      'src/model/d.ts': longFunction.replace('  step();\n', ''),
    },
    at: ['src/model/a.ts:1', 'src/model/b.ts:1', 'src/model/c.ts:2'],
  },
  { rule: 'function length', title: 'the chapters of a test', files: { 'src/model/a.test.ts': longFunction }, at: [] },
  {
    rule: 'parameter count',
    title: 'five',
    files: { 'src/model/a.ts': 'const f = (a, b, c, { d }, ...e) => a;' },
    at: ['src/model/a.ts:1'],
  },
  { rule: 'parameter count', title: 'four and this', files: { 'src/model/a.ts': 'function f(this: Date, a, b, c, d) {}' }, at: [] },
  {
    rule: 'hidden members',
    title: 'a field, a method and an accessor, once for each declaration',
    files: { 'src/model/a.ts': 'class A {\n  #field = 1;\n  static #method() {}\n  get #value() {\n    return this.#field;\n  }\n}' },
    at: ['src/model/a.ts:2', 'src/model/a.ts:3', 'src/model/a.ts:4'],
  },
  {
    rule: 'hidden members',
    title: 'members that the compiler hides, and text with the sign',
    files: { 'src/model/a.ts': "class A {\n  private readonly field = '#1';\n}" },
    at: [],
  },
];
