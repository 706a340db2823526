import { faultSentence, loadConfig } from '../../config/load.ts';
import { serveOverStdio } from '../../mcp/stdio.ts';
import { serviceAddress, serviceClient } from '../base/client.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import { packageVersion } from '../base/version.ts';

/**
 * `gatelog mcp`: serves one client until it closes standard input. Invariant: standard output carries the protocol alone. @throws CommandError
 * without a key, or for an address that is none.
 */
export async function serveMcp(dependencies: CommandDependencies): Promise<void> {
  const { environment, hint, now } = dependencies;
  const gatelog = serviceClient(dependencies);
  const loaded = loadConfig(environment);
  if ('faults' in loaded) hint(loaded.faults.map(faultSentence).join('\n'));
  const publicUrl = ('config' in loaded ? loaded.config.publicApiUrl : undefined) ?? serviceAddress(dependencies);
  await serveOverStdio({ gatelog, publicUrl, now, version: packageVersion() }, ({ message }) => hint(message));
}
