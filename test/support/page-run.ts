import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { invocation } from '../../src/cli/base/invocation-text.ts';
import { parseJson } from '../../src/model/text.ts';
import { eventually } from './eventually.ts';
import { hasLines, hasShown, type PageBlock } from './page-blocks.ts';
import { program, serviceEnvironment } from './process-tree.ts';

/** Addresses of a running service, and the key of the page's reader. */
export interface PageReader {
  readonly gateway: string;
  readonly api: string;
  readonly dataDir: string;
  readonly key: string;
  /** The service that imports come from, instead of Helicone's. */
  readonly helicone: { readonly url: string; readonly key: string };
  /** Working directory of the reader. */
  readonly folder: string;
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Python on this machine: it runs, or only parses because the OpenAI client is missing, or is missing itself. */
export const pythonIs: 'run' | 'parsed only' | 'not here' =
  pythonCode('import openai') === 0 ? 'run' : pythonCode('') === 0 ? 'parsed only' : 'not here';

function pythonCode(text: string): number | null {
  return spawnSync('python3', ['-c', text], { timeout: 60_000 }).status;
}

/** Creates the reader's folder, in which the built package and those of this repository can be imported. */
export function readerFolder(dataDir: string, name: string): string {
  const readers = path.join(dataDir, 'readers');
  const folder = path.join(readers, name.replaceAll(/\W/g, '-'));
  mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
  symlinkSync(path.resolve('.'), path.join(folder, 'node_modules', 'gatelog'));
  if (!existsSync(path.join(readers, 'node_modules'))) symlinkSync(path.resolve('node_modules'), path.join(readers, 'node_modules'));
  return folder;
}

/**
 * Runs a block like a reader of the page and compares its output with the page. A block with JSON is repeated for up to 20 s, because a
 * record may not be visible at once. @throws with the output when a command fails or prints something else than the page shows.
 */
export async function runBlock(block: PageBlock, reader: PageReader): Promise<void> {
  if (block.language === 'python' && pythonIs !== 'run') return parsePython(block, reader);
  if (block.expectation?.language !== 'json') {
    const problem = problemOf(block, await execute(block, reader), reader);
    if (problem !== undefined) throw new Error(problem);
    return;
  }
  let last = '';
  await eventually(
    'the answer that the page shows',
    async () => {
      last = problemOf(block, await execute(block, reader), reader) ?? '';
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

function addressed(text: string, { gateway, api, helicone }: PageReader): string {
  return text
    .replaceAll('http://127.0.0.1:8787', gateway)
    .replaceAll('http://127.0.0.1:8788', api)
    .replaceAll('https://api.helicone.ai', helicone.url);
}

/** HTTP errors fail the block, `npx --no-install gatelog` runs the built program, and variables of the page's earlier blocks are set. */
function shellScript(text: string, { folder }: PageReader): string {
  const variables = path.join(folder, 'variables.sh');
  return [
    'set -ea',
    'curl() { command curl -sS --fail-with-body "$@"; }',
    `npx() { [ "npx $1 $2" = "${invocation}" ] || return 127; shift 2; "${process.execPath}" "${program}" "$@"; }`,
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
    GATELOG_IMPORT_KEY: reader.helicone.key,
    OPENAI_API_KEY: 'key-of-the-reader',
  };
  return new Promise((resolve) => {
    execFile(command, words, { env, cwd: reader.folder, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr });
    });
  });
}

function problemOf({ expectation, line }: PageBlock, { code, stdout, stderr }: Outcome, reader: PageReader): string | undefined {
  const printed = `line ${line}, exit code ${code}, printed:\n${stdout}${stderr}`;
  if (code !== 0) return printed;
  if (expectation === undefined) return undefined;
  const fits =
    expectation.language === 'text' ? hasLines(stdout + stderr, addressed(expectation.text, reader)) : hasAnswer(stdout, expectation.text);
  return fits ? undefined : `${printed}\nline ${expectation.line} shows:\n${expectation.text}`;
}

/** The response is the whole output or its last line. */
function hasAnswer(stdout: string, shown: string): boolean {
  const last = stdout.trim().split('\n').at(-1) ?? '';
  return [stdout, last].some((answer) => {
    const read = parseJson(answer);
    return read !== undefined && hasShown(read, JSON.parse(shown));
  });
}
