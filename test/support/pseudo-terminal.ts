import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { eventually } from './eventually.ts';

/** A program on a terminal of its own, which a test reads and types into. */
export interface PseudoTerminal {
  /** Waits until the program shows this behind what was waited for before. @throws with what it has shown. */
  readonly shows: (text: string) => Promise<void>;
  /** Keys as a terminal sends them: `\r` is Enter, `\u0003` Ctrl-C. */
  readonly type: (keys: string) => void;
  /** Everything shown so far, without colours and movements of the cursor. */
  readonly shown: () => string;
  /** Exit code of the program. */
  readonly ended: Promise<number | null>;
  readonly kill: () => void;
}

interface Started {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** Runs a command on a terminal of 100 columns, by `script` of util-linux, which is in every Debian. */
export function onTerminal(command: readonly string[], { cwd, environment }: Started): PseudoTerminal {
  const line = `stty cols 100 rows 40; exec ${command.map(quoted).join(' ')}`;
  const env = { PATH: process.env['PATH'] ?? '', TERM: 'xterm', ...environment };
  const child = spawn('script', ['--quiet', '--flush', '--return', '--command', line, '/dev/null'], { cwd, env, detached: true });
  let output = '';
  let waitedFor = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const shown = (): string => stripVTControlCharacters(output);
  const kill = (): void => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  process.once('exit', kill);
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      process.off('exit', kill);
      resolve(code);
    });
  });
  return {
    shown,
    ended,
    kill,
    type: (keys) => void child.stdin.write(keys),
    shows: async (text) => {
      const found = (): true | undefined => {
        const at = shown().indexOf(text, waitedFor);
        if (at === -1) return undefined;
        waitedFor = at + text.length;
        return true;
      };
      await eventually(`the terminal to show "${text}"`, found).catch((error: unknown) => {
        throw new Error(`it showed:\n${shown().slice(-3000)}`, { cause: error });
      });
    },
  };
}
