import { userInfo } from 'node:os';
import { displayPrefix, looksLikeOurKey, regionOf } from '../../auth/api-key.ts';
import { loadGiven, readVariables } from '../../config/given.ts';
import { faultSentence } from '../../config/load.ts';
import { listenerAddresses } from '../../config/listener-addresses.ts';
import { type CommandDependencies, CommandError, UsageError } from '../base/dependencies.ts';
import { serviceSettings } from '../base/environment-file.ts';
import { readSecret } from '../base/standard-input.ts';
import { exitCodes } from '../base/exit-codes.ts';
import type { Connection } from './agent.ts';

export interface ConnectionOptions {
  readonly gateway?: string;
  readonly user?: string;
  readonly property?: readonly string[];
  readonly model: string;
  readonly keyStdin?: true;
}

const standardGateway = 'http://127.0.0.1:8787';

/** What options and environment tell the agent. @throws CommandError without a key, UsageError for what an agent's settings cannot hold. */
export async function connectionOf(dependencies: CommandDependencies, options: ConnectionOptions): Promise<Connection> {
  return {
    gateway: gatewayOf(dependencies, options.gateway),
    key: options.keyStdin === true ? checkedKey(await readSecret(process.stdin, maxKeyBytes), 'Standard input') : keyOf(dependencies),
    user: plainText('--user', options.user ?? ownName()),
    properties: Object.fromEntries((options.property ?? []).map(propertyOf)),
    model: plainText('--model', options.model),
    at: dependencies.now(),
  };
}

/** @throws UsageError for a user without a name, as in some containers. */
function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    throw new UsageError('You have no name on this machine; give one with --user.');
  }
}

function gatewayOf(dependencies: CommandDependencies, given: string | undefined): string {
  const here = given === undefined ? knownGateway(dependencies) : standardGateway;
  const url = URL.parse(given ?? here);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(`--gateway takes the address that "gatelog serve" shows as Gateway, such as ${here}`);
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

/** By the settings of a service here. TRICKY: as with the API, a key of the environment goes to no address of the file. */
function knownGateway({ environment, environmentFile }: CommandDependencies): string {
  const hasOwnKey = (environment['GATELOG_API_KEY'] ?? '') !== '';
  const loaded = loadGiven(readVariables(environment, hasOwnKey ? undefined : environmentFile));
  if ('faults' in loaded) {
    throw new UsageError(`${loaded.faults.map(faultSentence).join('\n')}\nOr give the gateway's address with --gateway.`);
  }
  return listenerAddresses(loaded.config).gateway ?? standardGateway;
}

function keyOf(dependencies: CommandDependencies): string {
  const { apiKey } = serviceSettings(dependencies);
  if (apiKey !== undefined) return checkedKey(apiKey, 'GATELOG_API_KEY');
  throw new CommandError(
    'GATELOG_API_KEY is not set. Give the agent a key that may only send: "gatelog keys create --org default --permissions w --name NAME" prints one, and --key-stdin reads it.',
    exitCodes.notAllowed,
  );
}

const maxKeyBytes = 4096;

/** The sentence never contains the key. */
function checkedKey(key: string, place: string): string {
  if (looksLikeOurKey(key) && /^[\w.-]+$/.test(key)) return key;
  throw new UsageError(`${place} holds no Gatelog key, which begins with sk-svc-.`);
}

/** The beginning of a key, which tells it from others and opens nothing. */
export function shortened(key: string): string {
  return `${displayPrefix(key, regionOf(key) ?? '')}…`;
}

function propertyOf(text: string): readonly [string, string] {
  const [name, ...value] = text.split('=');
  if (name === undefined || name === '' || value.length === 0) {
    throw new UsageError('--property takes a name and a value: Repository=harbour.');
  }
  return [plainText('--property', name), plainText('--property', value.join('='))];
}

/**
 * A text that means the same in every agent's settings: some fill in what stands in braces or behind a dollar sign, one splits at commas,
 * and headers are not UTF-8 in all.
 */
function plainText(option: string, text: string): string {
  if (/^[\w@.:/+= -]{1,256}$/.test(text)) return text;
  throw new UsageError(`${option} takes letters from a to z, digits, spaces and _ @ . : / + = -, 1 to 256 of them.`);
}
