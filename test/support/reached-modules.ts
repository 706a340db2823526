import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The embedded engine: files that open it share a process, one after another, since it opens one folder at a time. */
export const engine = 'chdb/connection';
/** The simulated disk intercepts its process's file access: each file that uses it has a process of its own. */
export const simulatedDisk = 'src/spool/testing/simulated-disk.ts';

const imported = /(?:^(?:import|export)\s(?!type\b)(?:[^'";]*?\sfrom)?|\bimport\()\s*'([^']+)'/gms;

/** Test files below these folders that import a module, directly or indirectly, those of system tests too. */
export function filesThatReach(module: string, folders: readonly string[]): readonly string[] {
  const known = new Map<string, readonly string[]>();
  const importsOf = (one: string): readonly string[] => {
    const found = known.get(one) ?? readImports(one);
    known.set(one, found);
    return found;
  };
  return folders.flatMap(testFilesBelow).filter((file) => {
    const reached = new Set([file]);
    for (const one of reached) for (const next of importsOf(one)) reached.add(next);
    return reached.has(module);
  });
}

function readImports(module: string): readonly string[] {
  // Packages are not followed, nor texts in tests that only look like imports.
  if (!module.endsWith('.ts') || !existsSync(module)) return [];
  const names = [...readFileSync(module, 'utf8').matchAll(imported)].map(([, name = '']) => name);
  return names.map((name) => (name.startsWith('.') ? path.posix.join(path.posix.dirname(module), name) : name));
}

function testFilesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.test.ts')).map((name) => path.posix.join(folder, name));
}
