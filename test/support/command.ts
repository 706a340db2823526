import { execFile, type ExecFileException } from 'node:child_process';
import { program, serviceEnvironment } from './process-tree.ts';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function gatelog(dataDir: string, ...words: readonly string[]): Promise<CommandResult> {
  return new Promise((resolve) => {
    const env = serviceEnvironment({ dataDir });
    execFile(process.execPath, [program, ...words], { env, timeout: 60_000 }, (error: ExecFileException | null, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr });
    });
  });
}
