import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Installs the packages of this folder's `package.json` into it, exactly as locked, when they are missing or older than the lock. */
export async function installPeers(peersFolder: string): Promise<void> {
  const installed = changedAtMs(join(peersFolder, 'node_modules', '.package-lock.json'));
  if (installed > 0 && installed >= changedAtMs(join(peersFolder, 'package-lock.json'))) return;
  const npm = process.env['npm_execpath'];
  const [command, ...parameters] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  await new Promise<void>((resolve, reject) => {
    // TRICKY: `npm run` hands on the project's strictness about engines, and some of these packages run in a Node that comes with them.
    const child = spawn(command, [...parameters, 'ci', '--no-engine-strict', '--prefix', peersFolder], {
      cwd: peersFolder,
      env: outsideOfScripts(process.env),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.on('error', reject);
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`\`npm ci --prefix ${peersFolder}\` failed with ${String(code)}.`)),
    );
  });
}

/** Modification time of a file, in milliseconds since 1970; 0 when there is none. */
function changedAtMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** The environment without the variables that `npm run` adds for its own project, because the inner npm would apply them to itself. */
function outsideOfScripts(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign = /^npm_(package_|lifecycle_|config_local_prefix$|command$|execpath$)/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !foreign.test(name)));
}
