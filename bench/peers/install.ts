import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Installs what `bench/peers/package.json` names into that folder, exactly as locked, when it is not there or older than the lock. */
export async function installPeers(peersFolder: string): Promise<void> {
  const installed = changedAtMs(join(peersFolder, 'node_modules', '.package-lock.json'));
  if (installed > 0 && installed >= changedAtMs(join(peersFolder, 'package-lock.json'))) return;
  const npm = process.env['npm_execpath'];
  const [command, ...parameters] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  await new Promise<void>((resolve, reject) => {
    const child = spawn(command, [...parameters, 'ci', '--prefix', peersFolder], {
      cwd: peersFolder,
      env: outsideOfScripts(process.env),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.on('error', reject);
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error('`npm ci` in bench/peers failed; --no-portkey measures without it.')),
    );
  });
}

/** When a file changed last, in milliseconds since 1970; 0 when there is none. */
function changedAtMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** The environment without what `npm run` adds about the project it runs in, which the inner npm would take for its own. */
function outsideOfScripts(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign = /^npm_(package_|lifecycle_|config_local_prefix$|command$|execpath$)/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !foreign.test(name)));
}
