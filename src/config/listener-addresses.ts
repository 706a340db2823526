import type { Config } from './load.ts';
import type { ListenerAddresses } from '../platform/http/front-page.ts';
import { gatewayPath } from './one-address.ts';

type AddressSettings = Pick<
  Config,
  'host' | 'port' | 'basePath' | 'gatewayPort' | 'apiPort' | 'publicGatewayUrl' | 'publicApiUrl' | 'tlsCertFile'
>;

/**
 * Where the settings say that people reach the listeners. Invariant: no header of a request has a say, so that no link leads to an address
 * that its sender has chosen.
 */
export function listenerAddresses(settings: AddressSettings): ListenerAddresses {
  const { port, basePath, gatewayPort, apiPort, publicGatewayUrl, publicApiUrl } = settings;
  const onOne = port === undefined ? undefined : onThisMachine(settings, port);
  const [gateway, api] =
    port === undefined
      ? [onThisMachine(settings, gatewayPort), onThisMachine(settings, apiPort)]
      : [onOne && onOne + basePath + gatewayPath, onOne && onOne + basePath];
  return { gateway: publicGatewayUrl ?? gateway, api: publicApiUrl ?? api };
}

/** The address of the one listener, without a slash at the end; undefined where there are two. */
export function oneAddress(settings: Pick<AddressSettings, 'host' | 'port' | 'basePath' | 'tlsCertFile'>): string | undefined {
  const { host, port, basePath } = settings;
  return port === undefined ? undefined : `${schemeOf(settings)}://${host.includes(':') ? `[${host}]` : host}:${port}${basePath}`;
}

function schemeOf({ tlsCertFile }: Pick<AddressSettings, 'tlsCertFile'>): 'http' | 'https' {
  return tlsCertFile === undefined ? 'http' : 'https';
}

/** Who reaches a listener on the loopback interface is on this machine. Port 0 becomes another one at the start. */
function onThisMachine({ host, tlsCertFile }: Pick<AddressSettings, 'host' | 'tlsCertFile'>, port: number): string | undefined {
  if (port === 0) return undefined;
  const scheme = schemeOf({ tlsCertFile });
  if (host === '::1') return `${scheme}://[::1]:${port}`;
  return host === 'localhost' || host.startsWith('127.') ? `${scheme}://${host}:${port}` : undefined;
}
