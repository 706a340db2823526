import type { Config } from '../../config/load.ts';
import { localAddresses } from '../../platform/http/local-addresses.ts';

const everyAddress = /^http:\/\/(?:0\.0\.0\.0|\[::\])(?=:)/;

/** A wildcard address as other machines reach it. */
export function reachable(address: string): string {
  const [own = '127.0.0.1'] = localAddresses();
  return address.replace(everyAddress, () => `http://${own.includes(':') ? `[${own}]` : own}`);
}

/** A warning for whoever opens the ports to a network. */
export function openWarning({ host, metricsKey }: Pick<Config, 'host' | 'metricsKey'>): readonly string[] {
  if (host !== '0.0.0.0' && host !== '::') return [];
  const metrics = metricsKey === undefined ? ', and /metrics without a key (GATELOG_METRICS_KEY)' : '';
  return [`Warning: GATELOG_HOST is ${host}: who reaches this machine reaches both ports, in plain http${metrics}.`, ''];
}
