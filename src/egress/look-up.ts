import { type LookupAddress, promises as dns } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { HostsFile } from './hosts-file.ts';

export interface LookUpOptions {
  /** Maximum time for all answers. */
  readonly timeoutMs: number;
  readonly hosts?: HostsFile;
  /** Name servers in place of the machine's; with a port where it is not 53. */
  readonly servers?: readonly string[];
}

/**
 * Resolves names by the hosts file, else by the machine's name servers. TRICKY: not by `dns.lookup`, which occupies one of the few threads
 * that also read and write files. With names whose servers do not answer, one caller would occupy all of them, and no other connection
 * would open.
 */
export function makeLookUp({ timeoutMs, hosts = new HostsFile(), servers }: LookUpOptions): LookupFunction {
  const resolve = callbackify(async (hostname: string, family: number): Promise<LookupAddress[]> => {
    const listed = hosts.of(hostname);
    const found = listed.length > 0 ? listed : await askServers(hostname, timeoutMs, servers);
    const wanted = found.filter((address) => family === 0 || family === address.family);
    if (wanted.length === 0) throw notFound(hostname, 'ENOTFOUND');
    return wanted;
  });
  return (hostname, { family }, callback) => {
    const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : (family ?? 0);
    resolve(hostname, wanted, (error, found) => {
      if (error === null) callback(null, found);
      else callback(error, []);
    });
  };
}

/** Addresses of both families; a failing family is left out. @throws when neither has any. */
async function askServers(hostname: string, timeoutMs: number, servers: readonly string[] | undefined): Promise<LookupAddress[]> {
  // A resolver per name, because cancelling one ends all of its queries. It reads the machine's servers each time, so that they may
  // change.
  const resolver = new dns.Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    resolver.cancel();
  }, timeoutMs);
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  clearTimeout(timer);
  const found = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length > 0) return found;
  if (isLate) throw notFound(hostname, 'ETIMEDOUT');
  throw four.status === 'rejected' ? four.reason : notFound(hostname, 'ENOTFOUND');
}

function notFound(hostname: string, code: 'ENOTFOUND' | 'ETIMEDOUT'): Error {
  const because = code === 'ETIMEDOUT' ? 'its name servers did not answer in time' : 'it has no address';
  return Object.assign(new Error(`${hostname}: ${because}`), { code, hostname });
}
