import type { Planted } from './rule.ts';

const sources = (count: number, ending: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`src/spool/part-${index}${ending}`, 'export const part = 1;']));
const longFunction = `function long() {\n${'  step();\n'.repeat(59)}}\n`;

/** Trees for the rules of `rules/shape.ts`. */
export const plantedShapes: readonly Planted[] = [
  { rule: 'folder size', title: 'one file too many', files: sources(41, '.ts'), at: ['src/spool/part-0.ts:1'] },
  {
    rule: 'folder size',
    title: 'a full folder with tests beside it',
    files: { ...sources(40, '.ts'), ...sources(20, '.test.ts'), 'src/spool/deeper/part.ts': 'export const part = 1;' },
    at: [],
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
];
