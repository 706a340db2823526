import { testFilePatterns } from './law.ts';
import type { SourceFile } from './source.ts';
import type { Tree } from './tree.ts';

/** One place that breaks a rule. */
export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

/** One rule of the repository: how to find violations, and the remedy. */
export interface Rule {
  readonly name: string;
  readonly remedy: string;
  readonly find: (tree: Tree) => readonly Violation[];
}

/** A rule that looks at one parsed file at a time. */
export function sourceRule(rule: Omit<Rule, 'find'>, find: (source: SourceFile) => readonly Omit<Violation, 'path'>[]): Rule {
  return { ...rule, find: (tree) => tree.sources.flatMap((source) => find(source).map((found) => ({ path: source.path, ...found }))) };
}

/** `path:line: rule: what. Remedy.` */
export function sentenceOf(rule: Rule, { path, line, what }: Violation): string {
  return `${path}:${line}: ${rule.name}: ${what}. ${rule.remedy}`;
}

/** Whether only tests and benchmarks load the file. */
export function isTestFile(path: string): boolean {
  return testFilePatterns.some((pattern) => pattern.test(path));
}

/** Whether the path is one of the listed files or lies in one of the listed folders. */
export function isWithin(path: string, places: readonly string[]): boolean {
  return places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place));
}

/** Whether the file is code that runs in production. */
export function isProduction(path: string): boolean {
  return path.startsWith('src/') && !isTestFile(path);
}

/** A small tree for one rule, and the violations that the rule must find: `path:line`, or none. */
export interface Planted {
  readonly rule: string;
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  readonly at: readonly string[];
}
