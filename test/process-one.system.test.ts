import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { eventually } from './support/eventually.ts';
import { childrenNamed, killTree, makeDataDir, removeDataDir, serviceEnvironment, treeOf } from './support/process-tree.ts';

const dataDir = makeDataDir();
afterAll(() => removeDataDir(dataDir));

/** Runs a command as process 1 of a namespace of its own, as a container does. */
const asProcessOne = ['--user', '--map-root-user', '--pid', '--fork'];
const hasNamespaces = spawnSync('unshare', [...asProcessOne, 'true']).status === 0;
const command = path.resolve('dist/cli/gatelog.cjs');

describe.skipIf(!hasNamespaces)('as process 1, left out where there are no namespaces because nothing else makes another process 1', () => {
  let unshared: number | undefined;
  afterEach(() => {
    if (unshared !== undefined) killTree(unshared);
  });

  const startAsOne = async (): Promise<{ readonly one: number; readonly ended: Promise<number | null> }> => {
    const starting = spawn('unshare', [...asProcessOne, process.execPath, command, 'serve'], {
      env: serviceEnvironment({ dataDir, environment: { GATELOG_LOG_LEVEL: 'error' } }),
      stdio: 'ignore',
    });
    unshared = starting.pid;
    const ended = new Promise<number | null>((resolve) => starting.once('exit', resolve));
    return { one: await eventually('process 1', () => treeOf(starting.pid ?? 0)[1]), ended };
  };

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('%s while the parts start ends them all, with code %i', async (signal, code) => {
    const { one, ended } = await startAsOne();
    await eventually('a gateway worker', () => childrenNamed(one, 'gateway')[0]);
    const members = treeOf(one);
    process.kill(one, signal);
    expect(await ended).toBe(code);
    await eventually('the whole tree to be gone', () => (members.some((member) => treeOf(member).length > 0) ? undefined : true));
  });

  it('a signal that comes again ends the start as soon as the program runs', async () => {
    const { one, ended } = await startAsOne();
    // Node itself loses those that come before.
    const again = setInterval(() => treeOf(one).length > 0 && process.kill(one, 'SIGTERM'), 20);
    expect(await ended.finally(() => clearInterval(again))).toBe(143);
  });

  it('a running service stops in order', async () => {
    const running = spawn('unshare', [...asProcessOne, process.execPath, command, 'serve'], {
      env: serviceEnvironment({ dataDir }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    unshared = running.pid;
    let output = '';
    for (const stream of [running.stdout, running.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8');
      });
    }
    const ended = new Promise((resolve) => running.once('exit', resolve));
    await eventually('the service to run', () => (output.includes('Ctrl-C stops it') ? true : undefined), 60_000);
    process.kill(treeOf(running.pid ?? 0)[1] ?? 0, 'SIGTERM');
    expect(await ended).toBe(0);
    expect(output).toContain('Stopped.');
  });
});
