import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { partsOf } from '../src/api/site/page-parts.ts';

/** Bytes as they are sent: docs/internals/page-contract.md. */
const bounds = { initial: 200_000, part: 80_000 };

const pages = 'dist/pages';
const files = JSON.parse(readFileSync(`${pages}/files.json`, 'utf8')) as Readonly<
  Record<string, { file: string; bytes: number; parts?: Readonly<Record<string, readonly string[]>> }>
>;

function textOf(path: string): string {
  return gunzipSync(readFileSync(`${pages}/${fileOf(path).file}`)).toString();
}

function fileOf(path: string): { file: string; bytes: number } {
  const found = files[path];
  if (found === undefined) throw new Error(`The service has no ${path}.`);
  return found;
}

function named(text: string, shape: RegExp): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(shape), ([, name = '']) => `/assets/${name}`));
}

const scripts = new Map(
  Object.keys(files)
    .filter((path) => /^\/assets\/.+\.js$/.test(path))
    .map((path) => {
      const text = textOf(path);
      return [
        path,
        { imports: named(text, /(?:\bimport|\bfrom)\s*["'`]\.\/([^"'`]+)/g), later: named(text, /\bimport\(["'`]\.\/([^"'`]+)/g) },
      ];
    }),
);

/** A script with all that it imports at once. */
function loadedWith(path: string): ReadonlySet<string> {
  const loaded = new Set([path]);
  for (const next of loaded) for (const imported of scripts.get(next)?.imports ?? []) loaded.add(imported);
  return loaded;
}

function bytesOf(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + fileOf(path).bytes, 0);
}

const page = textOf('/');
const [entry = ''] = named(page, /<script type="module"[^>]* src="\/assets\/([^"]+)"/g);
const initial = loadedWith(entry);
/** What every script that opens a part has loaded by then: a dialog of a page may use what is in the page. */
function loadedBefore(path: string): ReadonlySet<string> {
  const [first = initial, ...others] = [...scripts].filter(([, { later }]) => later.has(path)).map(([opener]) => loadedWith(opener));
  return new Set([...first].filter((loaded) => others.every((other) => other.has(loaded))));
}

/** Scripts that are loaded later, with what each adds to those that are there. */
const parts = [...new Set([...scripts.values()].flatMap(({ later }) => [...later]))]
  .map((path) => {
    const before = loadedBefore(path);
    return { path, bytes: bytesOf([...loadedWith(path)].filter((loaded) => !initial.has(loaded) && !before.has(loaded))) };
  })
  .toSorted((one, other) => other.bytes - one.bytes);

it('initially at most 200 KB of JavaScript are loaded', () => {
  expect(initial).toEqual(new Set([entry, ...named(page, /<link rel="modulepreload"[^>]* href="\/assets\/([^"]+)"/g)]));
  expect(bytesOf([...initial])).toBeLessThanOrEqual(bounds.initial);
});

it('a page, a dialog and the editor add at most 80 KB each', () => {
  expect(parts.filter(({ bytes }) => bytes > bounds.part)).toEqual([]);
});

it('every page is loaded when it is opened first', () => {
  const routes = readFileSync('web/app/router.tsx', 'utf8').matchAll(/import\('\.\.\/features\/.+?([\w-]+)\.tsx'\)/g);
  const names = Array.from(routes, ([, name = '']) => name);
  expect(names).toContain('requests-page');
  expect(names.filter((name) => !parts.some(({ path }) => path.startsWith(`/assets/${name}-`)))).toEqual([]);
});

it('what a browser is told to load early is what the page loads', () => {
  const { parts: known = {} } = files['/'] ?? {};
  const id = '8f6b0f6e-5d0e-4c53-9a52-0a3c2f1f0001';
  const told = ['/requests', `/requests?request=${id}&tab=raw`, '/sessions/a'].flatMap((address) =>
    partsOf(new URL(address, 'http://localhost')),
  );
  expect([...new Set(told)]).toEqual(['expected', 'requests-page', 'raw-tab', 'editor', 'session-parts', 'session-page']);
  for (const name of new Set(told)) {
    const [path = ''] = known[name] ?? [];
    expect(path).toContain(`/assets/${name}-`);
    expect(new Set(known[name])).toEqual(new Set([...loadedWith(path)].filter((loaded) => !initial.has(loaded))));
  }
});

afterAll(() => {
  const lines = [{ path: 'initially', bytes: bytesOf([...initial]) }, ...parts].map(
    ({ path, bytes }) => `${(bytes / 1000).toFixed(1).padStart(6)} KB ${path}`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
});
