/**
 * The program with a store that fails when a test says so: as `dist/cli/main.js`, but for the core, whose connections to the store read
 * before each piece of work, in the file that `STORE_FAULT_FILE` names, what is to happen. Production code knows nothing of it.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { loadConfig } from '../../src/config/load.ts';
import type { Connect, Connections } from '../../src/store/engine/connections.ts';
import { exitHard, runRole } from '../../src/supervisor/child.ts';
import type { StoreFault } from './faulty-store.ts';

function presentFault(): StoreFault {
  return JSON.parse(readFileSync(process.env['STORE_FAULT_FILE'] ?? '', 'utf8')) as StoreFault;
}

async function failingConnect(): Promise<Connect> {
  const { openConnections } = await import('../../src/store/engine/open-connections.ts');
  return (location) => {
    const connections = openConnections(location);
    const run: Connections['run'] = async (lane, work) => {
      const fault = presentFault();
      if (fault.kind === 'refuses') throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      if (fault.kind === 'slow') await wait(fault.delayMs);
      const result = await connections.run(lane, work);
      if (fault.kind === 'loses answers') throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      return result;
    };
    return { ...connections, run };
  };
}

if (process.argv[2] === 'core') {
  const { startCore } = await import('../../src/main/core.ts');
  const loaded = loadConfig(process.env);
  if ('faults' in loaded) throw new Error('the settings of the test are wrong');
  const connect = await failingConnect();
  await runRole(() => startCore(loaded.config, 'test', connect), {
    leave: exitHard,
    exitWhenOrphaned: true,
    stopCallsMs: loaded.config.stopCallsMs,
  });
} else {
  await import(pathToFileURL(path.resolve('dist/cli/main.js')).href);
}
