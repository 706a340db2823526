import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
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

const hasHandler = (pid: number): boolean => {
  const caught = /^SigCgt:\s+([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${caught}`) & (1n << BigInt(constants.signals.SIGTERM - 1))) !== 0n;
};

describe.skipIf(!hasNamespaces)('as process 1, left out where there are no namespaces because nothing else makes another process 1', () => {
  let unshared: number | undefined;
  afterEach(() => {
    if (unshared !== undefined) killTree(unshared);
  });

  it.each([
    ['SIGTERM', 143, 'before a command runs', (one: number) => (hasHandler(one) ? true : undefined)],
    ['SIGTERM', 143, 'while the parts start', (one: number) => childrenNamed(one, 'gateway')[0]],
    ['SIGINT', 130, 'while the parts start', (one: number) => childrenNamed(one, 'gateway')[0]],
  ] as const)('%s ends the start with code %i, %s', async (signal, code, _when, isThen) => {
    const starting = spawn('unshare', [...asProcessOne, process.execPath, command, 'serve'], {
      env: serviceEnvironment({ dataDir, environment: { GATELOG_LOG_LEVEL: 'error' } }),
      stdio: 'ignore',
    });
    unshared = starting.pid;
    const ended = new Promise((resolve) => starting.once('exit', resolve));
    const one = await eventually('process 1', () => treeOf(starting.pid ?? 0)[1]);
    await eventually('the moment of the signal', () => isThen(one));
    const members = treeOf(one);
    process.kill(one, signal);
    expect(await ended).toBe(code);
    await eventually('the whole tree to be gone', () => (members.some((member) => treeOf(member).length > 0) ? undefined : true));
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
