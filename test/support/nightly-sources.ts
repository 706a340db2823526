import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Committed files: the hash of each by its path. */
export type CommittedFiles = ReadonlyMap<string, string>;

/** Tests that look at the whole tree. */
const readersOfTheTree: ReadonlySet<string> = new Set(['test/check.system.test.ts']);
/** What opens the dashboard's pages, and what installs them. */
const openers: readonly string[] = ['test/support/browser.ts', 'test/soak/package.ts'];
/** What starts a proxy with its example. */
const proxies: readonly string[] = ['test/support/nginx.ts', 'test/soak/package.ts'];
/** What every test loads. */
const configuration = 'vitest.config.ts';
/** A file beside the one that names it, with or without its ending, or one of the folder of tests. */
const named = /'((?:\.{1,2}|test)\/[\w./-]+)'/g;

/** The output of `git ls-tree -r`. */
export function committedFiles(listing: string): CommittedFiles {
  return new Map([...listing.matchAll(/^\d+ blob ([\da-f]+)\t(.+)$/gm)].map(([, hash = '', file = '']) => [file, hash]));
}

/** What the program and its tools are: all but documents, pages, examples of its surroundings and what only single parts of the run load. */
export function programDigest(files: CommittedFiles): string {
  return digestOf([...files].filter(([file]) => !isDocument(file) && !isPage(file) && !isExample(file) && !isTestCode(file)));
}

/**
 * What a part of the run is beside the program: its own file and the test code that it names, directly or indirectly, and the dashboard's
 * pages if it opens them, and the examples of proxies. So a test or a page that is mended costs the results of those parts alone that load it.
 */
export function partDigest(entry: string, files: CommittedFiles, namesIn: (file: string) => readonly string[] = readNames): string {
  if (readersOfTheTree.has(entry)) return digestOf([...files].filter(([file]) => isTestCode(file) || isPage(file)));
  const reached = new Set([entry, configuration]);
  for (const one of reached) for (const next of namesIn(one)) if (isTestCode(next)) reached.add(next);
  const opensPages = openers.some((opener) => reached.has(opener));
  const startsProxies = proxies.some((proxy) => reached.has(proxy));
  const isLoaded = (file: string): boolean =>
    (reached.has(file) && isTestCode(file)) || (opensPages && isPage(file)) || (startsProxies && isExample(file));
  return digestOf([...files].filter(([file]) => isLoaded(file)));
}

function isExample(file: string): boolean {
  return file.startsWith('deploy/');
}

function isPage(file: string): boolean {
  return file.startsWith('web/') && !isTestCode(file);
}

function isTestCode(file: string): boolean {
  return file.endsWith('.test.ts') || (file.startsWith('test/') && file.endsWith('.ts'));
}

function isDocument(file: string): boolean {
  return file.startsWith('docs/') || file === 'README.md';
}

function digestOf(files: readonly (readonly [file: string, hash: string])[]): string {
  const lines = files.map(([file, hash]) => `${hash} ${file}`).toSorted();
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 12);
}

function readNames(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  const names = [...readFileSync(file, 'utf8').matchAll(named)].map(([, name = '']) => name);
  return names.flatMap((name) => {
    const to = name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name;
    return [to, `${to}.ts`];
  });
}
