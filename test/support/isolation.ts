import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Modules that a process can hold one of: the engine opens one folder in its life, and the watched disk puts itself between a process and its files. */
const oncePerProcess = ['chdb/connection', 'src/spool/testing/simulated-disk.ts'];

const imported = /(?:^(?:import|export)\s(?!type\b)[^'";]*?|\bimport\()\s*'([^']+)'/gms;

/** Test files below these folders that need a process of their own, by what they import, and what that imports. */
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
  // Packages, and what only looks like an import: tests have code in texts.
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
