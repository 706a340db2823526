import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { namesIn } from '../../../src/platform/files.ts';
import type { AgentTask, CodingAgent } from './agent.ts';

export interface Ran {
  readonly code: number | null;
  readonly output: string;
  /** Of what was done around it. */
  readonly faults: readonly string[];
}

const agentMs = 180_000;

/** Runs an agent once in a home folder and a folder of work of its own. */
export async function inHome(agent: CodingAgent, task: AgentTask): Promise<Ran> {
  const home = mkdtempSync(path.join(tmpdir(), 'gatelog-agent-'));
  try {
    const work = path.join(home, 'work');
    mkdirSync(work);
    for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(path.join(work, name), `${name}\n`);
    for (const [name, text] of Object.entries(agent.files(task))) {
      mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
      writeFileSync(path.join(home, name), text);
    }
    const prepared = agent.prepare?.(home, task) ?? {};
    const environment = { PATH: process.env['PATH'] ?? '', HOME: home, ...agent.environment(task), ...prepared };
    const ran = await run(agent.command(task), work, environment);
    return { ...ran, faults: agent.finish?.(home) ?? [] };
  } finally {
    endDaemons(home);
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Ends what an agent has left running outside of its group, as Cline does: it names the folder, which is of this run alone. */
function endDaemons(home: string): void {
  for (const name of namesIn('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      if (readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(home)) process.kill(Number(name), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** In a process group of its own, which ends with it, or after a time. */
async function run(
  [program = '', ...words]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Omit<Ran, 'faults'>> {
  const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  const add = (chunk: Buffer): void => {
    output += chunk.toString('utf8');
  };
  child.stdout.on('data', add);
  child.stderr.on('data', add);
  const endGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const timer = setTimeout(endGroup, agentMs);
  process.once('exit', endGroup);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return { code, output };
  } finally {
    clearTimeout(timer);
    endGroup();
    process.off('exit', endGroup);
  }
}
