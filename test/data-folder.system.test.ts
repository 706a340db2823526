import { type ChildProcess, execFile, type ExecFileException, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { eventually } from './support/eventually.ts';
import { childrenNamed, killTree, makeDataDir, program, removeDataDir, serviceEnvironment, startService } from './support/process-tree.ts';

const folders: string[] = [];
afterAll(() => folders.forEach(removeDataDir));

function freshFolder(): string {
  const dataDir = makeDataDir();
  folders.push(dataDir);
  return dataDir;
}

interface Run {
  readonly code: number;
  readonly output: string;
}

/** Runs a command that ends. @param uid the user to run it as, where this process may set one. */
function run(dataDir: string, words: readonly string[], environment: Readonly<Record<string, string>> = {}, uid?: number): Promise<Run> {
  return new Promise((resolve) => {
    const env = serviceEnvironment({ dataDir, environment });
    const as = uid === undefined ? {} : { uid, gid: uid };
    execFile(process.execPath, [program, ...words], { env, timeout: 60_000, ...as }, (error: ExecFileException | null, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, output: stdout + stderr });
    });
  });
}

function removeMetadata(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter((file) => file.startsWith('metadata.db'))) rmSync(path.join(dataDir, name));
}

/** With records of an earlier start; what a volume has of its own is nothing strange in it. */
const usedDir = freshFolder();

it('a start refuses a missing or empty metadata.db beside records, points to the backup, and creates a new one only on request', async () => {
  const dataDir = usedDir;
  mkdirSync(path.join(dataDir, 'lost+found'));
  await (await startService({ dataDir })).stop();
  const refusals: Run[] = [];
  removeMetadata(dataDir);
  refusals.push(await run(dataDir, ['serve']), await run(dataDir, ['orgs', 'create', 'acme']));
  writeFileSync(path.join(dataDir, 'metadata.db'), '');
  refusals.push(await run(dataDir, ['serve']));
  truncateSync(path.join(dataDir, 'metadata.db'), 0);
  refusals.push(await run(dataDir, ['serve']));
  for (const { code, output } of refusals) {
    expect(code).toBe(1);
    expect(output).toMatch(
      /metadata\.db is missing or empty, but the folder has records whose .*"gatelog restore FOLDER".*"gatelog serve --new-metadata"\.\n$/,
    );
  }
  const child = spawn(process.execPath, [program, 'serve', '--new-metadata'], {
    env: serviceEnvironment({ dataDir }),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await said(child, 'is running');
  killTree(child.pid ?? 0);
});

/** Waits until a process has printed a text. @returns its output so far. */
async function said(child: ChildProcess, text: string): Promise<string> {
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  await eventually(`"${text}"`, () => (output.includes(text) ? true : undefined));
  return output;
}

it('a first start that is killed before it is up has shown its key', async () => {
  const dataDir = freshFolder();
  const environment = { GATELOG_BOOTSTRAP_API_KEY: '' };
  const child = spawn(process.execPath, [program, 'serve'], {
    env: serviceEnvironment({ dataDir, environment }),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const output = said(child, 'sk-svc-us-');
  await eventually('a core', () => childrenNamed(child.pid ?? 0, 'core')[0]);
  killTree(child.pid ?? 0);
  const key = /^ *(sk-svc-us-\S+)$/m.exec(await output)?.[1] ?? '';
  const next = await startService({ dataDir, environment });
  expect(next.output()).toContain('Keys were made earlier');
  expect((await fetch(`${next.gateway}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
  await next.stop();
});

it('a data folder without permission is named with its owner and what to do, by every command', async () => {
  const dataDir = usedDir;
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(dataDir, 0, 0);
  chmodSync(dataDir, isRoot ? 0o700 : 0o500);
  const uid = isRoot ? 65_534 : undefined;
  for (const words of [
    ['serve'],
    ['keys', 'list'],
    ['orgs', 'create', 'acme'],
    ['store', 'check'],
    ['dead-letters', 'list'],
    ['backup', `${dataDir}-copy`],
  ]) {
    const { code, output } = await run(dataDir, words, {}, uid);
    expect(code).toBe(1);
    expect(output).toMatch(
      new RegExp(
        `^${dataDir} cannot be read and written by this user \\(uid \\d+\\): it belongs to uid \\d+ and has the mode 0[57]00\\. Run Gatelog as that user, .*GATELOG_DATA_DIR to another folder\\.\\n$`,
      ),
    );
  }
  chmodSync(dataDir, 0o700);
});

it('a folder full of other files is not used as the data folder', async () => {
  const dataDir = freshFolder();
  for (const name of ['a.md', 'b.md', 'c.md', 'd.md']) writeFileSync(path.join(dataDir, name), '');
  const { code, output } = await run(dataDir, ['serve']);
  expect([code, output]).toEqual([
    1,
    `The data folder ${dataDir} has other files (a.md, b.md, c.md, and 1 more) and none of Gatelog's. Set GATELOG_DATA_DIR to a folder that is empty or does not exist yet.\n`,
  ]);
  expect(readdirSync(dataDir).length).toBe(4);
});

it('a start names a data folder that is a file', async () => {
  const file = path.join(freshFolder(), 'data');
  writeFileSync(file, '');
  for (const words of [['serve'], ['keys', 'list'], ['store', 'check']]) {
    expect(await run(file, words)).toEqual({
      code: 1,
      output: `The data folder ${file} is a file. Set GATELOG_DATA_DIR to a folder that is empty or does not exist yet.\n`,
    });
  }
});

it.each([
  ['nonsense.invalid', '39787', '39788'],
  ['nonsense.invalid', '0', '0'],
  ['192.0.2.1', '39787', '39788'],
  ['192.0.2.1', '0', '0'],
])(
  'a GATELOG_HOST that is no address of this machine (%s, ports %s and %s) is reported once, with the addresses to use',
  async (host, gatewayPort, apiPort) => {
    const environment = { GATELOG_HOST: host, GATELOG_GATEWAY_PORT: gatewayPort, GATELOG_API_PORT: apiPort };
    const { code, output } = await run(freshFolder(), ['serve'], environment);
    expect(code).toBe(1);
    expect(output).toMatch(
      new RegExp(
        `^GATELOG_HOST is ${host}, which is no address of this machine \\(E[A-Z_]+\\)\\. Set it to one of .*127\\.0\\.0\\.1; 0\\.0\\.0\\.0 is all of them\\.\\n$`,
      ),
    );
  },
);
