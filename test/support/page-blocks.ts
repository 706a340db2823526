import { readdirSync, readFileSync } from 'node:fs';

/** Languages that a test runs. */
const runnable = ['sh', 'js', 'python'] as const;
export type RunnableLanguage = (typeof runnable)[number];

/** Output that a page shows for a block: a part of a JSON response, or some of the printed lines. */
export interface Expectation {
  readonly language: 'json' | 'text';
  readonly text: string;
  readonly line: number;
}

/** A fenced block of a page that a reader is expected to run. */
export interface PageBlock {
  readonly language: RunnableLanguage;
  readonly text: string;
  /** Line of its fence, from 1. */
  readonly line: number;
  readonly expectation: Expectation | undefined;
  /** Reason why the block is not run, from the comment above it. */
  readonly notRunBecause: string | undefined;
}

export interface Page {
  readonly path: string;
  readonly blocks: readonly PageBlock[];
  /** Blocks with a language that are neither run, nor compared, nor marked with a reason. A block without a language is a picture. */
  readonly strays: readonly string[];
}

interface Fence {
  readonly language: string;
  readonly text: string;
  readonly line: number;
  readonly marker: 'not run' | 'not compared' | undefined;
  readonly reason: string;
}

/** Every page with commands for readers. */
export const documentedPages: readonly string[] = [
  'README.md',
  'docs/getting-started.md',
  ...['docs/guides', 'docs/operations'].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

export function readPage(path: string): Page {
  return pageOf(path, readFileSync(path, 'utf8'));
}

/** A JSON or text block belongs to the block before it. `<!-- not run: why -->` and `<!-- not compared: why -->` stand right above a fence. */
export function pageOf(path: string, markdown: string): Page {
  const blocks: PageBlock[] = [];
  const strays: string[] = [];
  let isAwaited = false;
  for (const { language, text, line, marker, reason } of fencesOf(markdown)) {
    const last = blocks.at(-1);
    if (isRunnable(language)) {
      blocks.push({ language, text, line, expectation: undefined, notRunBecause: marker === 'not run' ? reason : undefined });
      isAwaited = marker === undefined;
    } else if (marker === undefined && isAwaited && last !== undefined && (language === 'json' || language === 'text')) {
      blocks[blocks.length - 1] = { ...last, expectation: { language, text, line } };
      isAwaited = false;
    } else if (marker === undefined && language !== '') strays.push(`${path}:${line}`);
  }
  return { path, blocks, strays };
}

function isRunnable(language: string): language is RunnableLanguage {
  return (runnable as readonly string[]).includes(language);
}

function fencesOf(markdown: string): readonly Fence[] {
  const lines = markdown.split('\n');
  const fences: Fence[] = [];
  for (let index = 0; index < lines.length; index++) {
    const language = /^```(\S*)/.exec(lines[index] ?? '')?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf('```', index + 1);
    const [, marker, reason = ''] = /^<!-- (not run|not compared): (.+) -->$/.exec(lines[index - 1] ?? '') ?? [];
    const text = lines.slice(index + 1, end).join('\n');
    fences.push({ language, text, line: index + 1, marker: marker as Fence['marker'], reason });
    index = end;
  }
  return fences;
}

/** Whether `actual` has all that `expected` shows. `…` stands for anything; a list may have more elements, but an empty one is empty. */
export function hasShown(actual: unknown, expected: unknown): boolean {
  if (expected === '…') return actual !== undefined;
  if (typeof expected === 'string') return typeof actual === 'string' && fitsText(actual, expected);
  if (Array.isArray(expected)) return Array.isArray(actual) && hasElements(actual, expected);
  if (typeof expected !== 'object' || expected === null) return actual === expected;
  if (typeof actual !== 'object' || actual === null) return false;
  const fields = actual as Readonly<Record<string, unknown>>;
  return Object.entries(expected).every(([name, value]) => hasShown(fields[name], value));
}

function hasElements(actual: readonly unknown[], expected: readonly unknown[]): boolean {
  if (expected.length === 0) return actual.length === 0;
  let from = 0;
  return expected.every((element) => {
    const index = actual.findIndex((candidate, at) => at >= from && hasShown(candidate, element));
    from = index + 1;
    return index !== -1;
  });
}

/** Whether the output contains the shown lines in this order. */
export function hasLines(output: string, shown: string): boolean {
  const lines = output.split('\n').map((line) => line.trim());
  let from = 0;
  return shown.split('\n').every((line) => {
    const index = lines.findIndex((candidate, at) => at >= from && fitsText(candidate, line.trim()));
    from = index + 1;
    return index !== -1;
  });
}

function fitsText(text: string, shown: string): boolean {
  const pattern = shown.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${pattern.join('.*')}$`, 's').test(text);
}
