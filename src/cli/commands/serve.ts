import path from 'node:path';
import { type RunningService, startService, type StopSignal } from '../../main/serve.ts';
import type { CommandContext } from '../base/dependencies.ts';
import { openWarning, reachable } from '../base/open-host.ts';
import { asInvoked } from '../base/invocation-text.ts';
import { packageVersion } from '../base/version.ts';

export interface ServeOptions {
  readonly newMetadata?: boolean;
  /** Told once everything is up and its addresses are printed. */
  readonly whenReady?: (service: RunningService) => void;
}

/** Starts everything and stays until a signal ends it. @throws with a sentence when it cannot start. */
export async function serveAll(context: CommandContext, { newMetadata = false, whenReady }: ServeOptions = {}): Promise<void> {
  // During the start a signal ends the process at once, and its children with it.
  const showKey = (apiKey: string): void => context.print([...authHeaders(apiKey), '', 'Starting …'].join('\n'));
  const service = await startService(context.config, context.environment, process.argv[1] ?? '', { newMetadata, showKey });
  const signals = stopSignals();
  context.print(asInvoked(welcome(context, service), context.environment));
  whenReady?.(service);
  const signal = await signals.first;
  context.hint(farewell(service, signal));
  await service.stop({ maxMs: service.stopLimits.callsMs[signal], cut: signals.cut });
  context.hint('Stopped.');
}

function farewell({ stopLimits }: RunningService, signal: StopSignal): string {
  const callsMs = stopLimits.callsMs[signal];
  return (
    `Stopping, within ${(callsMs + stopLimits.marginMs) / 1000} s: calls that run have ${callsMs / 1000} s to end; what still runs then is cut and recorded as broken off. ` +
    'Another Ctrl-C cuts it at once.'
  );
}

/** A terminal and npm may each send the same signal; within this time it counts once. */
const sameSignalMs = 500;

interface StopSignals {
  readonly first: Promise<StopSignal>;
  /** Aborted by a second signal. */
  readonly cut: AbortSignal;
}

function stopSignals(): StopSignals {
  const cut = new AbortController();
  let firstAt: number | undefined;
  const first = new Promise<StopSignal>((resolve) => {
    const hear = (signal: StopSignal): void => {
      const now = performance.now();
      firstAt ??= now;
      if (now - firstAt > sameSignalMs) cut.abort();
      resolve(signal);
    };
    process.on('SIGINT', () => hear('SIGINT'));
    process.on('SIGTERM', () => hear('SIGTERM'));
  });
  return { first, cut: cut.signal };
}

function welcome({ config }: CommandContext, { addresses, freshKey }: RunningService): string {
  const gateway = config.publicGatewayUrl ?? reachable(addresses.gateway);
  return [
    `Gatelog ${packageVersion()} is running. Ctrl-C stops it.`,
    `  Gateway  ${gateway}   send model calls here`,
    `  API      ${config.publicApiUrl ?? reachable(addresses.api)}   query them here, or see them in a browser`,
    `  Data     ${path.resolve(config.dataDir)}`,
    '',
    ...openWarning(config),
    ...keyNote(config, freshKey),
    'Try it (the echo provider needs no account):',
    `  ${exampleCall(gateway, madeKey(config, freshKey) ?? '$GATELOG_API_KEY')}`,
  ].join('\n');
}

/** The key that this start created. A key from the operator's settings is already known and stays unprinted. */
function madeKey(config: CommandContext['config'], freshKey: string | undefined): string | undefined {
  return config.bootstrapApiKey === undefined ? freshKey : undefined;
}

function authHeaders(made: string): readonly string[] {
  return ['Your API key, shown only now:', `  ${made}`, 'Keep it where the examples look for it:', `  export GATELOG_API_KEY=${made}`];
}

/** Where to get a key, unless this start has printed one. */
function keyNote(config: CommandContext['config'], freshKey: string | undefined): readonly string[] {
  if (madeKey(config, freshKey) !== undefined) return [];
  if (freshKey !== undefined) {
    return ['Your API key is the one in GATELOG_BOOTSTRAP_API_KEY; the example looks for it in GATELOG_API_KEY.', ''];
  }
  return [
    'Keys were made earlier; "gatelog keys create --org default" makes another one. The example looks for one in GATELOG_API_KEY.',
    '',
  ];
}

/** A line that works as pasted. */
function exampleCall(gateway: string, key: string): string {
  const body = JSON.stringify({ model: 'echo/demo', messages: [{ role: 'user', content: 'Hello, Gatelog!' }] });
  return `curl ${gateway}/v1/chat/completions -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -H "Svc-Property-Team: demo" -d '${body}'`;
}
