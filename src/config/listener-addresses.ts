import type { Config } from './load.ts';
import type { ListenerAddresses } from '../platform/http/front-page.ts';

type AddressSettings = Pick<Config, 'host' | 'gatewayPort' | 'apiPort' | 'publicGatewayUrl' | 'publicApiUrl'>;

/**
 * Where the settings say that people reach the listeners. Invariant: no header of a request has a say, so that no link leads to an address
 * that its sender has chosen.
 */
export function listenerAddresses({ host, gatewayPort, apiPort, publicGatewayUrl, publicApiUrl }: AddressSettings): ListenerAddresses {
  return { gateway: publicGatewayUrl ?? onThisMachine(host, gatewayPort), api: publicApiUrl ?? onThisMachine(host, apiPort) };
}

/** Who reaches a listener on the loopback interface is on this machine. Port 0 becomes another one at the start. */
function onThisMachine(host: string, port: number): string | undefined {
  if (port === 0) return undefined;
  if (host === '::1') return `http://[::1]:${port}`;
  return host === 'localhost' || host.startsWith('127.') ? `http://${host}:${port}` : undefined;
}
