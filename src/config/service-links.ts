import { isIP } from 'node:net';

type Environment = Readonly<Record<string, string | undefined>>;

/** Name behind the Service's, and the value, of each variable that Kubernetes sets in a pod for a Service of its namespace. */
const shapes: readonly (readonly [name: RegExp, isValue: (value: string) => boolean])[] = [
  [/_SERVICE_HOST$/, isAddress],
  [/_SERVICE_PORT(?:_[A-Z0-9_]+)?$/, isPort],
  [/_PORT(?:_\d{1,5}_(?:TCP|UDP|SCTP))?$/, isLink],
  [/_PORT_\d{1,5}_(?:TCP|UDP|SCTP)_PROTO$/, (value) => /^(?:tcp|udp|sctp)$/.test(value)],
  [/_PORT_\d{1,5}_(?:TCP|UDP|SCTP)_PORT$/, isPort],
  [/_PORT_\d{1,5}_(?:TCP|UDP|SCTP)_ADDR$/, isAddress],
];

/**
 * The variables that Kubernetes has set for a Service named gatelog, or gatelog-api and the like. They begin as our settings do, and
 * `GATELOG_PORT=tcp://10.0.0.1:8787` even has the name of one.
 */
export function serviceLinksIn(environment: Environment): readonly string[] {
  return Object.keys(environment).filter((name) => isServiceLink(name, environment[name] ?? ''));
}

export function withoutServiceLinks(environment: Environment): Environment {
  const links = new Set(serviceLinksIn(environment));
  return links.size === 0 ? environment : Object.fromEntries(Object.entries(environment).filter(([name]) => !links.has(name)));
}

function isServiceLink(name: string, value: string): boolean {
  return /^GATELOG_[A-Z0-9_]+$/.test(name) && shapes.some(([shape, isValue]) => shape.test(name) && isValue(value));
}

function isLink(value: string): boolean {
  const [, bracketed, host = '', port = ''] = /^(?:tcp|udp|sctp):\/\/(?:\[([^\]]+)\]|([^:/]+)):(\d+)$/.exec(value) ?? [];
  return isAddress(bracketed ?? host) && isPort(port);
}

function isAddress(value: string): boolean {
  return isIP(value) !== 0;
}

function isPort(value: string): boolean {
  return /^\d{1,5}$/.test(value);
}
