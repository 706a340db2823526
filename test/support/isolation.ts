import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Modules that several test files of a process cannot share: the engine opens one folder at a time, and the simulated disk intercepts the process's file
 * access.
 */
const oncePerProcess = ['chdb/connection', 'src/spool/testing/simulated-disk.ts'];

const imported = /(?:^(?:import|export)\s(?!type\b)[^'";]*?|\bimport\()\s*'([^']+)'/gms;

/** Test files below these folders that need their own process, because they import such a module directly or indirectly. */
export function needOwnProcess(folders: readonly string[]): readonly string[] {
  const known = new Map<string, readonly string[]>();
  const importsOf = (module: string): readonly string[] => {
    const found = known.get(module) ?? readImports(module);
    known.set(module, found);
    return found;
  };
  return folders.flatMap(testFilesBelow).filter((file) => {
    const reached = new Set([file]);
    for (const module of reached) for (const next of importsOf(module)) reached.add(next);
    return oncePerProcess.some((module) => reached.has(module));
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
  return names
    .filter((name) => name.endsWith('.test.ts') && !name.endsWith('.system.test.ts'))
    .map((name) => path.posix.join(folder, name));
}
