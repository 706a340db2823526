import path from 'node:path';
import { bootstrap } from '../../auth/bootstrap.ts';
import { ensureFolder } from '../../platform/files.ts';
import { makeLogger } from '../../platform/logger.ts';
import { takeLock } from '../../platform/process-lock.ts';
import { portProblem } from '../../supervisor/ports.ts';
import { type Addresses, Supervisor } from '../../supervisor/supervisor.ts';
import { type CommandContext, CommandError, withDatabase } from '../dependencies.ts';
import { packageVersion } from '../version.ts';

/** Starts everything and stays until a signal ends it. @throws CommandError with a sentence when it cannot start. */
export async function serveAll(context: CommandContext): Promise<void> {
  const { config, print, hint } = context;
  ensureFolder(config.dataDir);
  const lock = takeLock(path.join(config.dataDir, 'supervisor.lock'), `process ${process.pid}`);
  if ('heldBy' in lock) {
    throw new CommandError(`The data folder ${config.dataDir} is in use by another Gatelog (${lock.heldBy}). Stop that one, or set GATELOG_DATA_DIR to another folder.`);
  }
  await checkPorts(context);
  const first = await withDatabase(context, (database) => bootstrap(database, { bootstrapKey: config.bootstrapApiKey, region: config.region, now: context.now }));
  const supervisor = new Supervisor({
    program: process.argv[1] ?? '',
    gatewayWorkers: config.gatewayWorkers,
    environment: context.environment,
    observe: makeLogger(config.logLevel, 'supervisor'),
  });
  const stopped = stopOnSignal(supervisor, hint);
  const addresses = await supervisor.start().catch(async (error: unknown) => {
    await supervisor.stop();
    throw error;
  });
  print(welcome(context, addresses, first.created ? first.apiKey : undefined));
  await stopped;
  lock.release();
}

async function checkPorts({ config }: CommandContext): Promise<void> {
  const { host } = config;
  const problems = await Promise.all([
    portProblem({ name: 'gateway', host, port: config.gatewayPort, variable: 'GATELOG_GATEWAY_PORT' }),
    portProblem({ name: 'API', host, port: config.apiPort, variable: 'GATELOG_API_PORT' }),
  ]);
  const known = problems.filter((problem) => problem !== undefined);
  if (known.length > 0) throw new CommandError(known.join('\n'));
}

/** Settles once everything has stopped after the first SIGINT or SIGTERM. */
function stopOnSignal(supervisor: Supervisor, hint: (text: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopping = false;
    const stop = (): void => {
      if (stopping) return;
      stopping = true;
      hint('Stopping: running calls end, then what they left is stored.');
      supervisor.stop().then(() => {
        hint('Stopped.');
        resolve();
      }, reject);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}

function welcome({ config }: CommandContext, addresses: Addresses, freshKey: string | undefined): string {
  const gateway = config.publicGatewayUrl ?? addresses.gateway;
  const key = freshKey ?? '$GATELOG_API_KEY';
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
    `  ${exampleCall(gateway, key)}`,
  ].join('\n');
}

/** One line that works as pasted. */
function exampleCall(gateway: string, key: string): string {
  const body = JSON.stringify({ model: 'echo/demo', messages: [{ role: 'user', content: 'Hello, Gatelog!' }] });
  return `curl ${gateway}/v1/chat/completions -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -H "Svc-Property-Team: demo" -d '${body}'`;
}
