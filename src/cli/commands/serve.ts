import path from 'node:path';
import { type RunningService, startService } from '../../main/all.ts';
import type { CommandContext } from '../dependencies.ts';
import { packageVersion } from '../version.ts';

/** Starts everything and stays until a signal ends it. @throws with a sentence when it cannot start. */
export async function serveAll(context: CommandContext): Promise<void> {
  // Until it is up a signal ends it as any program; its children end with it.
  const service = await startService(context.config, context.environment, process.argv[1] ?? '');
  const signalled = firstSignal();
  context.print(welcome(context, service));
  await signalled;
  context.hint(farewell(service));
  await service.stop();
  context.hint('Stopped.');
}

/** What happens now, and for how long. */
function farewell({ stopLimits: { callsMs, wholeMs } }: RunningService): string {
  return (
    `Stopping, within ${wholeMs / 1000} s: calls that run have ${callsMs / 1000} s to end; what still runs then is cut and recorded as broken off. ` +
    'Another Ctrl-C changes nothing.'
  );
}

/** Settles at the first SIGINT or SIGTERM; later ones are ignored, as a terminal and npm may each send one. */
function firstSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => resolve());
    process.on('SIGTERM', () => resolve());
  });
}

function welcome({ config }: CommandContext, { addresses, freshKey }: RunningService): string {
  const gateway = config.publicGatewayUrl ?? addresses.gateway;
  return [
    `Gatelog ${packageVersion()} is running. Ctrl-C stops it.`,
    `  Gateway  ${gateway}   send model calls here`,
    `  API      ${config.publicApiUrl ?? addresses.api}   query them here`,
    `  Data     ${path.resolve(config.dataDir)}`,
    '',
    ...keyLines(config, freshKey),
    '',
    'Try it (the echo provider needs no account):',
    `  ${exampleCall(gateway, madeKey(config, freshKey) ?? '$GATELOG_API_KEY')}`,
  ].join('\n');
}

/** The key that was made at this start. One that the operator gave is a secret that they have already; it is not printed. */
function madeKey(config: CommandContext['config'], freshKey: string | undefined): string | undefined {
  return config.bootstrapApiKey === undefined ? freshKey : undefined;
}

function keyLines(config: CommandContext['config'], freshKey: string | undefined): string[] {
  const made = madeKey(config, freshKey);
  if (made !== undefined) {
    return ['Your API key, shown only now:', `  ${made}`, 'Keep it where the examples look for it:', `  export GATELOG_API_KEY=${made}`];
  }
  if (freshKey !== undefined) return ['Your API key is the one in GATELOG_BOOTSTRAP_API_KEY; the example looks for it in GATELOG_API_KEY.'];
  return ['Keys were made earlier; "gatelog keys create --org default" makes another one. The example looks for one in GATELOG_API_KEY.'];
}

/** One line that works as pasted. */
function exampleCall(gateway: string, key: string): string {
  const body = JSON.stringify({ model: 'echo/demo', messages: [{ role: 'user', content: 'Hello, Gatelog!' }] });
  return `curl ${gateway}/v1/chat/completions -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -H "Svc-Property-Team: demo" -d '${body}'`;
}
