import { spawn } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { eventually } from './eventually.ts';
import { serviceEnvironment, testKey } from './process-tree.ts';

/** What a service did between its start and its stop. */
export interface Use {
  /** From the start of the command to the printed addresses. */
  readonly readyMs: number;
  readonly faults: readonly string[];
}

interface Start {
  readonly command: readonly [string, ...string[]];
  /** The folder in which it runs, which is empty. */
  readonly cwd: string;
  /** Before all others where programs are looked for. */
  readonly binaries: string;
}

const startMs = 180_000;

/** Our environment as a user has it, without what `npm run` sets for its own project. @param binaries where programs are looked for first. */
export function userEnvironment(binaries: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:npm_|GATELOG_)/.test(name));
  return { ...Object.fromEntries(own), ...pathWith(binaries) };
}

function pathWith(binaries: string): { readonly PATH: string } {
  return { PATH: `${binaries}${path.delimiter}${process.env['PATH'] ?? ''}` };
}

/** Starts the service by a command, makes a call, reads it from the API, and stops the service as Ctrl-C does. */
export async function useOnce({ command: [program, ...words], cwd, binaries }: Start): Promise<Use> {
  const startedAt = performance.now();
  const env = { ...userEnvironment(binaries), ...serviceEnvironment({ dataDir: path.join(cwd, 'data') }), ...pathWith(binaries) };
  // In a group of its own, which gets the signal as a terminal sends it: npx passes none on.
  const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const endGroup = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-(child.pid ?? 0), signal);
    } catch {
      // It has ended.
    }
  };
  const killGroup = (): void => endGroup('SIGKILL');
  process.once('exit', killGroup);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  try {
    const address = (name: string): string | undefined => new RegExp(`${name} +(http:\\S+)`).exec(output)?.[1];
    const gateway = await eventually('the addresses', () => address('Gateway'), startMs);
    const readyMs = performance.now() - startedAt;
    const faults = await faultsOfCall(gateway, address('API') ?? '');
    endGroup('SIGINT');
    await exited;
    return { readyMs, faults: [...faults, ...(output.includes('Stopped.') ? [] : [`it did not stop in order: ${output.slice(-500)}`])] };
  } catch (error) {
    throw new Error(`${program} ${words.join(' ')} printed:\n${output.slice(-2000)}`, { cause: error });
  } finally {
    killGroup();
    process.off('exit', killGroup);
  }
}

async function faultsOfCall(gateway: string, api: string): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'packed' }] });
  const response = await fetch(`${gateway}/v1/chat/completions`, { method: 'POST', headers, body });
  const answer = await response.text();
  const stored = `${api}/v1/request/${response.headers.get('svc-id') ?? ''}`;
  await eventually('the request to be stored', async () => (await fetch(stored, { headers })).status === 200 || undefined);
  const page = await fetch(api);
  return [
    ...(answer.includes('packed') ? [] : [`the call was answered with ${answer}`]),
    ...(page.status === 200 ? [] : [`the dashboard was answered with ${page.status}`]),
  ];
}

/** Bytes of all files below a folder, as their directory says. */
export function folderBytes(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.reduce((sum, entry) => sum + lstatSync(path.join(entry.parentPath, entry.name)).size, 0);
}

/** Platforms as packages have them in their names. */
const platformName = /(?:^|[-/])(aix|android|darwin|freebsd|linux|openharmony|sunos|win32|windows)-?(arm64|x64|arm|ia32|musl|gnu)/;

/** Packages below a folder that are for another platform than this one, by their names. */
export function foreignPackages(folder: string): readonly string[] {
  const manifests = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('package.json'));
  const names = manifests.map((name) => path.dirname(name).split(`node_modules${path.sep}`).at(-1) ?? '');
  return names.filter((name) => {
    const [, platform, processor] = platformName.exec(name) ?? [];
    return (
      platform !== undefined && (platform !== process.platform || (processor !== process.arch && /^(?:arm|x64|ia32)/.test(processor ?? '')))
    );
  });
}
