import { execFile } from 'node:child_process';
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

/** How a block went: it was run, or, where the machine cannot run it, its syntax was looked at, or not even that. */
export type Ran = 'run' | 'parsed' | 'impossible here';

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
export async function runBlock(block: PageBlock, reader: PageReader): Promise<Ran> {
  if (block.language === 'python') return runPython(block, reader);
  if (block.expectation?.language !== 'json') {
    const problem = problemOf(block, await execute(block, reader));
    if (problem !== undefined) throw new Error(problem);
    return 'run';
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
  return 'run';
}

/** Without the client for Python a block's syntax is looked at, and without Python nothing. */
async function runPython(block: PageBlock, reader: PageReader): Promise<Ran> {
  if ((await python(reader, 'import openai')).code === 0) {
    const problem = problemOf(block, await python(reader, addressed(block.text, reader)));
    if (problem !== undefined) throw new Error(problem);
    return 'run';
  }
  if ((await python(reader, '')).code !== 0) return 'impossible here';
  const parsed = await python(reader, `import ast\nast.parse(${JSON.stringify(block.text)})`);
  if (parsed.code !== 0) throw new Error(parsed.stderr);
  return 'parsed';
}

function python(reader: PageReader, text: string): Promise<Outcome> {
  return run('python3', ['-c', text], reader);
}

function execute({ language, text }: PageBlock, reader: PageReader): Promise<Outcome> {
  const file = path.join(reader.folder, language === 'js' ? 'block.mjs' : 'block.sh');
  writeFileSync(file, language === 'js' ? addressed(text, reader) : shellScript(addressed(text, reader), reader));
  return language === 'js' ? run(process.execPath, [file], reader) : run('bash', [file], reader);
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
