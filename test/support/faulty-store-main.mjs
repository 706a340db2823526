/**
 * The program with a store that fails when a test says so: as `dist/cli/main.js`, but for the core, whose connections to the store read before each piece of work, in the
 * file that `STORE_FAULT_FILE` names, what is to happen (`StoreFault` in `faulty-store.ts`). Production code knows nothing of it.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** @typedef {import('../../src/store/engine/connections.ts').Connections} Connections */
/** @typedef {import('../../src/store/engine/connections.ts').Connect} Connect */
/** @typedef {import('./faulty-store.ts').StoreFault} StoreFault */

/**
 * A module of the built program.
 * @param {string} file
 * @returns {Promise<unknown>}
 */
const built = (file) => import(pathToFileURL(path.resolve('dist', file)).href);

const { openConnections } = /** @type {typeof import('../../src/store/engine/connections.ts')} */ (
  await built('store/engine/connections.js')
);

/** @returns {StoreFault} */
function presentFault() {
  return /** @type {StoreFault} */ (JSON.parse(readFileSync(process.env['STORE_FAULT_FILE'] ?? '', 'utf8')));
}

/** @type {Connect} */
const connect = (location) => {
  const connections = openConnections(location);
  /** @type {Connections['run']} */
  const run = async (lane, work) => {
    const fault = presentFault();
    if (fault.kind === 'refuses') throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    if (fault.kind === 'slow') await wait(fault.delayMs);
    const result = await connections.run(lane, work);
    if (fault.kind === 'loses answers') throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    return result;
  };
  return { ...connections, run };
};

if (process.argv[2] === 'core') {
  const { loadConfig } = /** @type {typeof import('../../src/config/load.ts')} */ (await built('config/load.js'));
  const { exitHard, runRole } = /** @type {typeof import('../../src/supervisor/child.ts')} */ (await built('supervisor/child.js'));
  const { startCore } = /** @type {typeof import('../../src/main/core.ts')} */ (await built('main/core.js'));
  const loaded = loadConfig(process.env);
  if ('faults' in loaded) throw new Error('the settings of the test are wrong');
  await runRole(() => startCore(loaded.config, 'test', connect), {
    leave: exitHard,
    exitWhenOrphaned: true,
    stopCallsMs: loaded.config.stopCallsMs,
  });
} else {
  const { runCommand } = /** @type {typeof import('../../src/cli/command.ts')} */ (await built('cli/command.js'));
  const { systemDependencies } = /** @type {typeof import('../../src/cli/base/dependencies.ts')} */ (
    await built('cli/base/dependencies.js')
  );
  process.exitCode = await runCommand(process.argv.slice(2), systemDependencies(process.env));
}
