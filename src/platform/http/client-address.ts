import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { type HeaderList, headerValue, headerValues } from './header-list.ts';

/** Tells the core which client a gateway worker has passed on: a secret of the deployment, and the address. No client's own one is passed on. */
export const clientAddressHeader = 'x-gatelog-client-address';

/** The address of the client of a request; undefined without a connection. */
export type ClientAddressOf = (request: Pick<IncomingMessage, 'socket' | 'rawHeaders'>) => string | undefined;

/** Proxies that a request may name; a longer list is read from its end. */
const maxHops = 64;

/**
 * Clients behind trusted proxies: of the addresses in `X-Forwarded-For` the last one that is no trusted proxy. What stands before it may be
 * the client's own invention. @param trusted IP addresses and CIDRs; without any, the header is not read.
 */
export function clientAddressBehind(trusted: readonly string[]): ClientAddressOf {
  if (trusted.length === 0) return ({ socket }) => socket.remoteAddress;
  const isTrusted = trustedBy(trusted);
  return ({ socket: { remoteAddress }, rawHeaders }) => {
    if (remoteAddress === undefined || !isTrusted(remoteAddress)) return remoteAddress;
    let client = remoteAddress;
    for (const hop of hopsOf(rawHeaders)) {
      if (hop === undefined) return client;
      client = hop;
      if (!isTrusted(hop)) return client;
    }
    return client;
  };
}

/** Clients of a gateway worker, which says who they are. Whoever else connects is a client itself. @param mark the deployment's secret. */
export function clientAddressOfWorker(mark: string): ClientAddressOf {
  const expected = Buffer.from(mark);
  return ({ socket, rawHeaders }) => {
    const [given = '', address = ''] = headerValue(rawHeaders, clientAddressHeader)?.split(' ', 2) ?? [];
    const bytes = Buffer.from(given);
    const isOurs = bytes.length === expected.length && timingSafeEqual(bytes, expected);
    return isOurs && isIP(address) !== 0 ? address : socket.remoteAddress;
  };
}

function trustedBy(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/', 2);
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const plain = unmapped(address);
    return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  };
}

/** From the nearest proxy on; undefined for a text that is no address. */
function* hopsOf(rawHeaders: HeaderList): Iterable<string | undefined> {
  let rest = headerValues(rawHeaders, 'x-forwarded-for').join(',');
  for (let count = 0; rest !== '' && count < maxHops; count += 1) {
    const at = rest.lastIndexOf(',');
    yield addressIn(rest.slice(at + 1));
    rest = rest.slice(0, Math.max(0, at));
  }
}

/** Some proxies write the client's port too. */
function addressIn(text: string): string | undefined {
  const trimmed = text.trim();
  const address = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(trimmed)?.[1] ?? trimmed;
  return isIP(address) === 0 ? undefined : unmapped(address);
}

/** A listener for both families has clients of IPv4 as `::ffff:192.0.2.1`. */
function unmapped(address: string): string {
  const plain = address.replace(/^::ffff:/i, '');
  return isIP(plain) === 4 ? plain : address;
}
