import type { Config } from '../config/load.ts';
import { exitHard, runRole } from '../supervisor/child.ts';

/** Runs this process as one gateway worker until it is told to stop. @param supervised a supervisor has started it. */
export async function runGateway(config: Config, supervised?: boolean): Promise<void> {
  await runRole(
    async () => {
      const { startGateway } = await import('./gateway.ts');
      return startGateway(config);
    },
    { supervised, stopCallsMs: config.stopCallsMs },
  );
}

/** Runs this process as the core until it is told to stop. @param version of the program. @param supervised a supervisor has started it. */
export async function runCore(config: Config, version: string, supervised?: boolean): Promise<void> {
  // What is not stored yet is in the spool, and whoever changes something is answered only when it is durable.
  const end = { leave: exitHard, exitWhenOrphaned: true, supervised, stopCallsMs: config.stopCallsMs };
  await runRole(async () => {
    // TRICKY: the store's engine comes with it, 160 MB of memory that no gateway worker and no supervisor has a use for.
    const { startCore } = await import('./core.ts');
    return startCore(config, version);
  }, end);
}
