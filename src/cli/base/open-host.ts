import type { Config } from '../../config/load.ts';
import { localAddresses } from '../../platform/http/local-addresses.ts';

const everyAddress = /^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:)/;

/** A wildcard address as other machines reach it. */
export function reachable(address: string): string {
  const [own = '127.0.0.1'] = localAddresses();
  return address.replace(everyAddress, (_, scheme: string) => `${scheme}${own.includes(':') ? `[${own}]` : own}`);
}

/** A warning for whoever opens the ports to a network. */
export function openWarning({
  host,
  port,
  metricsKey,
  tlsCertFile,
}: Pick<Config, 'host' | 'port' | 'metricsKey' | 'tlsCertFile'>): readonly string[] {
  if (host !== '0.0.0.0' && host !== '::') return [];
  const plain = tlsCertFile === undefined ? ', in plain http' : '';
  const metrics = metricsKey === undefined ? ', and /metrics without a key (GATELOG_METRICS_KEY)' : '';
  return [
    `Warning: GATELOG_HOST is ${host}: who reaches this machine reaches ${port === undefined ? 'both ports' : 'the port'}${plain}${metrics}.`,
    '',
  ];
}
