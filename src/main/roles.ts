import type { Config } from '../config/load.ts';
import { boundHeapGrowth } from '../platform/memory/old-generation.ts';
import { acceptCompiledModules } from '../platform/memory/young-generation.ts';
import { publicList } from '../pricing/public-list.ts';
import { exitHard, runRole } from '../supervisor/child.ts';

/** Runs this process as a gateway worker until it is asked to stop. @param supervised whether a supervisor started it. */
export async function runGateway(config: Config, supervised?: boolean): Promise<void> {
  await runRole(
    async () => {
      acceptCompiledModules();
      const { startGateway } = await import('./gateway.ts');
      return startGateway(config);
    },
    { supervised, stopCallsMs: config.stopCallsMs },
  );
}

/** Runs this process as the core until it is asked to stop. @param supervised whether a supervisor started it. */
export async function runCore(config: Config, version: string, supervised?: boolean): Promise<void> {
  // Unstored exchanges are in the spool, and every acknowledged change is durable.
  const end = { leave: exitHard, exitWhenOrphaned: true, supervised, stopCallsMs: config.stopCallsMs };
  await runRole(async () => {
    // TRICKY: a dynamic import, because the store's engine takes 160 MB that gateways and the supervisor do not need.
    acceptCompiledModules();
    const { startCore } = await import('./core.ts');
    publicList();
    const core = await startCore(config, version);
    boundHeapGrowth();
    return core;
  }, end);
}
