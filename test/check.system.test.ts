import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inFull } from './support/test-length.ts';

/** A copy of the tree in which something is wrong. */
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-planted-'));
afterAll(() => rmSync(folder, { recursive: true }));

const uncopied = new Set(['.git', '.cache', 'node_modules', 'dist', 'data', 'docs', 'findings']);

beforeAll(() => {
  for (const name of readdirSync('.').filter((each) => !uncopied.has(each))) cpSync(name, path.join(folder, name), { recursive: true });
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
});

/** Runs a check in the copy. */
function checked(name: string): Promise<{ readonly code: number | null; readonly printed: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [path.join('scripts', 'check.mjs'), name],
      { cwd: folder, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' }, maxBuffer: 16 * 1024 * 1024 },
      (_error, output, errors) => resolve({ code: child.exitCode, printed: `${output}${errors}` }),
    );
  });
}

const planted = 'src/api/planted.ts';
/** Answers of endpoints, right ones and wrong ones. */
const answers = `import { z } from 'zod';
import { endpoint } from './endpoint/endpoint.ts';

const answer = z.object({ data: z.object({ count: z.int(), names: z.array(z.string()) }), error: z.null() });
const pen = { id: 'pen', summary: 'Pens', action: 'read', answer, answered: 'The pens.' } as const;

export const endpoints = [
  endpoint({ ...pen, at: 'GET /a', run: () => ({ count: 1, names: ['a'] }) }),
  endpoint({ ...pen, at: 'GET /b', run: async () => ({ count: 1, names: ['a'] }) }),
  endpoint({ ...pen, at: 'GET /c', run: () => 'a' }), // wrong
  endpoint({ ...pen, at: 'GET /d', run: async () => ({ count: '1', names: [] }) }), // wrong
  endpoint({ ...pen, at: 'GET /e', run: async () => ({ count: 1 }) }), // wrong
  endpoint({ ...pen, at: 'GET /f', run: () => ({ count: 1, names: ['a', 2] }) }), // wrong
  endpoint({ ...pen, at: 'GET /g', run: () => ({ data: { count: 1, names: [] }, error: null }) }), // wrong
];
`;

it('an answer of another type than its endpoint declares does not compile', async () => {
  writeFileSync(path.join(folder, planted), answers);
  const config = readFileSync('tsconfig.json', 'utf8');
  // Every change passes the check of the whole tree: here only what is planted, and what it imports, is compiled.
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ ...(JSON.parse(config) as object), include: [planted] }));
  const { code, printed } = await checked('types');
  writeFileSync(path.join(folder, 'tsconfig.json'), config);
  expect(code).toBe(1);
  const wrong = answers.split('\n').flatMap((line, index) => (line.endsWith('// wrong') ? [`${planted}(${index + 1}`] : []));
  const told = printed.split('\n').flatMap((line) => /^(\S+\(\d+),\d+\): error /.exec(line)?.[1] ?? []);
  expect([...new Set(told)]).toEqual(wrong);
});

/** `npm run check` runs knip over the tree itself. */
inFull(() => {
  it('an export that nobody imports, and a file that nobody imports, are not in order', async () => {
    appendFileSync(path.join(folder, 'src/model/nearest-name.ts'), '\nexport const plantedLength = 3;\n');
    const { code, printed } = await checked('knip');
    expect(code).toBe(1);
    expect(printed).toMatch(
      /Unused files \(1\)\nsrc\/api\/planted\.ts\s+Unused exports \(1\)\nplantedLength {2}.*src\/model\/nearest-name\.ts/,
    );
  });
});
