import { fork, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { processTree } from './process-table.ts';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;

export interface Program {
  readonly command: string;
  readonly parameters: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  /** Receives the program's output; its end is shown when the program does not start. */
  readonly logFile: string;
  /** Responds 200 when the program is ready. */
  readonly readyUrl: string;
}

/** The processes that this run has started. Ends these and no others. */
export class OwnedProcesses {
  private readonly children = new Set<ChildProcess>();

  /** Forks a module of the project and waits for the port that it reports. @param module without extension. */
  async forkListening(module: string, base: string, parameters: readonly string[]): Promise<{ child: ChildProcess; port: number }> {
    const child = this.fork(module, base, parameters);
    const message = await nextMessage(child, startTimeoutMs);
    if (typeof message !== 'object' || message === null || !('port' in message) || typeof message.port !== 'number') {
      throw new Error(`${module} did not say which port it listens on.`);
    }
    return { child, port: message.port };
  }

  /** Forks a module of the project; it runs as this file does, compiled or not. */
  fork(module: string, base: string, parameters: readonly string[]): ChildProcess {
    return this.own(fork(fileURLToPath(moduleUrl(module, base)), parameters, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }));
  }

  /** Starts another program and waits until it is ready. */
  async start(program: Program): Promise<ChildProcess> {
    const log = openSync(program.logFile, 'a');
    const child = this.own(
      spawn(program.command, program.parameters, { cwd: program.folder, env: program.environment, stdio: ['ignore', log, log] }),
    );
    closeSync(log);
    try {
      await untilReady(child, program.readyUrl);
    } catch (cause) {
      const output = readFileSync(program.logFile, 'utf8').trim().split('\n').slice(-15).join('\n');
      throw new Error(`${program.parameters.join(' ')} did not become ready.\n${output}`, { cause });
    }
    return child;
  }

  /** Ends one process, with time for an orderly stop. */
  async stop(child: ChildProcess): Promise<void> {
    await stop(child);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.children].map((child) => stop(child)));
  }

  private own(child: ChildProcess): ChildProcess {
    this.children.add(child);
    child.once('exit', () => this.children.delete(child));
    return child;
  }
}

/** The address of a module beside `base`, with the extension that `base` has. */
export function moduleUrl(module: string, base: string): URL {
  return new URL(module + extname(base), base);
}

export function nextMessage(child: ChildProcess, timeoutMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      child.removeListener('message', onMessage);
      child.removeListener('exit', onExit);
      finish();
    };
    const onMessage = (message: unknown): void => settle(() => resolve(message));
    const onExit = (): void => settle(() => reject(new Error('A process of the benchmark ended before it answered.')));
    const timer = setTimeout(() => settle(() => reject(new Error('A process of the benchmark did not answer.'))), timeoutMs);
    child.once('message', onMessage);
    child.once('exit', onExit);
  });
}

/** A loopback port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen({ port: 0, host: '127.0.0.1' }, () => {
      const address = server.address();
      server.close(() => (address !== null && typeof address === 'object' ? resolve(address.port) : reject(new Error('No free port.'))));
    });
  });
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const deadlineMs = performance.now() + startTimeoutMs;
  while (performance.now() < deadlineMs) {
    if (hasEnded(child)) throw new Error(`It ended with ${child.exitCode ?? child.signalCode}.`);
    const response = await fetch(url).catch(() => null);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await sleep(100);
  }
  throw new Error(`${url} did not answer 200 within ${startTimeoutMs / 1000} s.`);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Sends a stop signal to a process. After a time-out, kills it and its children. */
async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child) || child.pid === undefined) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const inTime = await Promise.race([exited.then(() => true), sleep(stopTimeoutMs, false, { ref: false })]);
  if (inTime) return;
  for (const entry of processTree(child.pid)) {
    try {
      process.kill(entry.pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  await exited;
}
