import path from 'node:path';
import { type RunningService, startService } from '../../main/all.ts';
import type { CommandContext } from '../dependencies.ts';
import { packageVersion } from '../version.ts';

/** Starts everything and stays until a signal ends it. @throws with a sentence when it cannot start. */
export async function serveAll(context: CommandContext): Promise<void> {
  const signalled = firstSignal();
  const service = await startService(context.config, context.environment, process.argv[1] ?? '');
  context.print(welcome(context, service));
  await signalled;
  context.hint('Stopping: running calls end, then what they left is stored.');
  await service.stop();
  context.hint('Stopped.');
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
  const keyLines =
    freshKey === undefined
      ? ['', 'Keys were made earlier; "gatelog keys create --org default" makes another one.']
      : ['', 'Your API key, shown only now:', `  ${freshKey}`];
  return [
    `Gatelog ${packageVersion()} is running. Ctrl-C stops it.`,
    `  Gateway  ${gateway}   send model calls here`,
    `  API      ${config.publicApiUrl ?? addresses.api}   query them here`,
    `  Data     ${path.resolve(config.dataDir)}`,
    ...keyLines,
    '',
    'Try it (the echo provider needs no account):',
    `  ${exampleCall(gateway, freshKey ?? '$GATELOG_API_KEY')}`,
  ].join('\n');
}

/** One line that works as pasted. */
function exampleCall(gateway: string, key: string): string {
  const body = JSON.stringify({ model: 'echo/demo', messages: [{ role: 'user', content: 'Hello, Gatelog!' }] });
  return `curl ${gateway}/v1/chat/completions -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -H "Svc-Property-Team: demo" -d '${body}'`;
}
