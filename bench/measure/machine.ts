import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';

/** Facts that make a result comparable with another one. */
export interface Machine {
  readonly cpuModel: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly nodeVersion: string;
  readonly kernel: string;
  /** Commit of the working copy; ends in `+changes` when files differ from it, `unknown` outside a working copy. */
  readonly commit: string;
  readonly describedAt: string;
  /** Load average of the last minute before the benchmark, as a measure of other work on the machine. */
  readonly loadBefore: number;
}

export function describeMachine(projectFolder: string): Machine {
  return {
    cpuModel: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    nodeVersion: process.version,
    kernel: `${type()} ${release()}`,
    commit: describeCommit(projectFolder),
    describedAt: new Date().toISOString(),
    loadBefore: loadavg()[0] ?? 0,
  };
}

function describeCommit(projectFolder: string): string {
  const git = (...parameters: string[]): string =>
    execFileSync('git', ['-C', projectFolder, ...parameters], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const commit = git('rev-parse', '--short=12', 'HEAD');
    return git('status', '--porcelain') === '' ? commit : `${commit}+changes`;
  } catch {
    return 'unknown';
  }
}
