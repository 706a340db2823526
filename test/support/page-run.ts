import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseJson } from '../../src/model/text.ts';
import { eventually } from './eventually.ts';
import { hasLines, hasShown, type PageBlock } from './page-blocks.ts';
import { program, serviceEnvironment } from './process-tree.ts';

/** Addresses of a service that runs, and the key that the page's reader has. */
export interface PageReader {
  readonly gateway: string;
  readonly api: string;
  readonly dataDir: string;
  readonly key: string;
  /** Where the reader's files are. */
  readonly folder: string;
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What this machine does with Python: it runs it, or, without the client for Python, looks at its syntax, or has none. */
export const pythonIs: 'run' | 'parsed only' | 'not here' =
  pythonCode('import openai') === 0 ? 'run' : pythonCode('') === 0 ? 'parsed only' : 'not here';

function pythonCode(text: string): number | null {
  return spawnSync('python3', ['-c', text], { timeout: 60_000 }).status;
}

/** Makes the reader's folder, in which the packages of this repository can be imported. */
export function readerFolder(dataDir: string, name: string): string {
  const folder = path.join(dataDir, 'readers', name.replaceAll(/\W/g, '-'));
  mkdirSync(folder, { recursive: true });
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  return folder;
}

/**
 * Runs a block as a reader of the page does and compares what it prints with what the page shows.
 * @throws with the output where a command fails or the page shows something else. A record may take a moment: JSON is looked at again for 20 s.
 */
export async function runBlock(block: PageBlock, reader: PageReader): Promise<void> {
  if (block.language === 'python' && pythonIs !== 'run') return parsePython(block, reader);
  if (block.expectation?.language !== 'json') {
    const problem = problemOf(block, await execute(block, reader));
    if (problem !== undefined) throw new Error(problem);
    return;
  }
  let last = '';
  await eventually(
    'the answer that the page shows',
    async () => {
      last = problemOf(block, await execute(block, reader)) ?? '';
      return last === '' ? true : undefined;
    },
    20_000,
  ).catch(() => {
    throw new Error(last);
  });
}

async function parsePython({ text, line }: PageBlock, reader: PageReader): Promise<void> {
  if (pythonIs === 'not here') return;
  const { code, stderr } = await run('python3', ['-c', `import ast\nast.parse(${JSON.stringify(text)})`], reader);
  if (code !== 0) throw new Error(`line ${line}: ${stderr}`);
}

function execute({ language, text }: PageBlock, reader: PageReader): Promise<Outcome> {
  const command = { sh: 'bash', js: process.execPath, python: 'python3' }[language];
  const file = path.join(reader.folder, { sh: 'block.sh', js: 'block.mjs', python: 'block.py' }[language]);
  const source = addressed(text, reader);
  writeFileSync(file, language === 'sh' ? shellScript(source, reader) : source);
  return run(command, [file], reader);
}

function addressed(text: string, { gateway, api }: PageReader): string {
  return text.replaceAll('http://127.0.0.1:8787', gateway).replaceAll('http://127.0.0.1:8788', api);
}

/** A failure of HTTP fails the block, `npx gatelog` is the built program, and variables are those of the page's blocks before. */
function shellScript(text: string, { folder }: PageReader): string {
  const variables = path.join(folder, 'variables.sh');
  return [
    'set -ea',
    'curl() { command curl -sS --fail-with-body "$@"; }',
    `npx() { shift; "${process.execPath}" "${program}" "$@"; }`,
    `[ ! -f "${variables}" ] || . "${variables}"`,
    text,
    `export -p | grep -v BASHOPTS > "${variables}"`,
  ].join('\n');
}

function run(command: string, words: readonly string[], reader: PageReader): Promise<Outcome> {
  const env = {
    ...serviceEnvironment({ dataDir: reader.dataDir }),
    GATELOG_API_KEY: reader.key,
    GATELOG_API_URL: reader.api,
    OPENAI_API_KEY: 'key-of-the-reader',
  };
  return new Promise((resolve) => {
    execFile(command, words, { env, cwd: reader.folder, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr });
    });
  });
}

function problemOf({ expectation, line }: PageBlock, { code, stdout, stderr }: Outcome): string | undefined {
  const printed = `line ${line}, exit code ${code}, printed:\n${stdout}${stderr}`;
  if (code !== 0) return printed;
  if (expectation === undefined) return undefined;
  const fits = expectation.language === 'text' ? hasLines(stdout + stderr, expectation.text) : hasAnswer(stdout, expectation.text);
  return fits ? undefined : `${printed}\nline ${expectation.line} shows:\n${expectation.text}`;
}

/** The answer is all of the output, or its last line. */
function hasAnswer(stdout: string, shown: string): boolean {
  const last = stdout.trim().split('\n').at(-1) ?? '';
  return [stdout, last].some((answer) => {
    const read = parseJson(answer);
    return read !== undefined && hasShown(read, JSON.parse(shown));
  });
}
