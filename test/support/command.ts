import { execFile, type ExecFileException } from 'node:child_process';
import { program, serviceEnvironment, testKey } from './process-tree.ts';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The address of a service, for commands that use its API. */
interface Addressed {
  readonly api: string;
}

/** What the command reads from its standard input. */
interface Piped {
  readonly input: string;
}

export function gatelog(dataDir: string, ...given: readonly (string | Addressed | Piped)[]): Promise<CommandResult> {
  const words = given.filter((word) => typeof word === 'string');
  const objects = given.filter((word) => typeof word === 'object');
  const address = objects.find((object) => 'api' in object);
  const piped = objects.find((object) => 'input' in object);
  const environment = address === undefined ? {} : { GATELOG_API_URL: address.api, GATELOG_API_KEY: testKey };
  return new Promise((resolve) => {
    const env = serviceEnvironment({ dataDir, environment });
    const child = execFile(
      process.execPath,
      [program, ...words],
      { env, timeout: 600_000 },
      (error: ExecFileException | null, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr });
      },
    );
    if (piped !== undefined) child.stdin?.end(piped.input);
  });
}
