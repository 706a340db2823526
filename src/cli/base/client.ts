import { createHash } from 'node:crypto';
import { readExactly } from '../../model/json/exact-numbers.ts';
import { createClient, type GatelogClient } from '../../client/client.ts';
import { type CommandDependencies, CommandError, UsageError } from './dependencies.ts';
import { exitCodes } from './exit-codes.ts';
import { type ServiceSettings, serviceSettings } from './environment-file.ts';
import { localAddress, standardApiPort } from './local-address.ts';

/** Further tries while a part of the service is away, at the interval that it names. */
const retries = 4;

/**
 * Makes the client of `GATELOG_API_URL` with `GATELOG_API_KEY`; sends nothing yet. @throws CommandError when the key is missing or one of
 * them is unusable.
 */
export function serviceClient(dependencies: CommandDependencies): GatelogClient {
  const settings = serviceSettings(dependencies);
  if (settings.isFileAddressUnused === true) {
    const { environmentFile: file, hint } = dependencies;
    hint(`GATELOG_API_URL of ${file} is not used, because GATELOG_API_KEY is set in the environment: set both in one place.`);
  }
  return createClient({ apiUrl: addressOf(settings, dependencies), apiKey: keyOf(settings), retries, readJson });
}

/** Where bodies are shown, their numbers keep their digits; figures elsewhere are numbers to count with. */
const endpointsWithBodies: ReadonlySet<string> = new Set([
  'GET /v1/request/{id}',
  'POST /v1/request/query-clickhouse',
  'GET /v1/session/{id}',
  'GET /v1/request/stream',
]);

function readJson(text: string, endpoint: string): unknown {
  return endpointsWithBodies.has(endpoint) ? readExactly(text) : JSON.parse(text);
}

const localHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Whether the service is on this machine, by its address. */
export function isServiceHere(dependencies: CommandDependencies): boolean {
  return localHosts.has(new URL(serviceAddress(dependencies)).hostname);
}

/** Without a slash at its end. */
export function serviceAddress(dependencies: CommandDependencies): string {
  return addressOf(serviceSettings(dependencies), dependencies);
}

/** The service and the organisation that {@link serviceClient} asks, without a secret. */
export function serviceName(dependencies: CommandDependencies): string {
  const settings = serviceSettings(dependencies);
  const key = createHash('sha256')
    .update(settings.apiKey ?? '')
    .digest('hex');
  return `${settings.apiUrl ?? localAddress(dependencies.environment).address} with key ${key.slice(0, 8)}`;
}

function addressOf({ apiUrl }: ServiceSettings, { environment }: CommandDependencies): string {
  const text = apiUrl ?? localAddress(environment).address;
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '') {
    throw new UsageError(
      `GATELOG_API_URL is not the address of an API; write one such as http://127.0.0.1:${standardApiPort}, without a user.`,
    );
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

function keyOf({ apiKey: key }: ServiceSettings): string {
  if (key === undefined) {
    throw new CommandError(
      'GATELOG_API_KEY is not set: this command needs a key of your organisation. On the machine of the service, "gatelog keys create --org NAME --permissions admin" creates one.',
      exitCodes.notAllowed,
    );
  }
  if (!/^[\u0021-\u007e]+$/.test(key)) {
    throw new UsageError('GATELOG_API_KEY is no key: it holds spaces or other characters that keys do not have.');
  }
  return key;
}
