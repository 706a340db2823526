import { isIP } from 'node:net';
import { type AddressSet, makeAddressSet, readNetwork } from './addresses.ts';

/** Private or plain http addresses that a deployment lets callers reach. */
export interface AllowList {
  /** `host`: a name or an address as `URL` writes it, without brackets. */
  readonly allows: (host: string, port: number) => boolean;
  /** True when addresses are listed, so that a name may turn out to be allowed once it is resolved. */
  readonly listsAddresses: boolean;
}

interface Entry {
  readonly name: string;
  /** Set when the entry is an address or a network. */
  readonly addresses: AddressSet | undefined;
  /** Undefined: any port. */
  readonly port: number | undefined;
}

/** Reads entries of the forms `host`, `host:port`, `[IPv6]:port` and CIDR; their shape was checked where they were set. */
export function makeAllowList(texts: readonly string[]): AllowList {
  const entries = texts.map(readEntry);
  return {
    allows: (host, port) =>
      entries.some(
        (entry) =>
          (entry.port === undefined || entry.port === port) &&
          (entry.addresses === undefined ? entry.name === host : entry.addresses(host)),
      ),
    listsAddresses: entries.some(({ addresses }) => addresses !== undefined),
  };
}

function readEntry(text: string): Entry {
  if (text.includes('/') || isIP(text) !== 0) return { name: text, addresses: makeAddressSet([readNetwork(text)]), port: undefined };
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
  const name = (bracketed ?? plain).toLowerCase();
  return {
    name,
    addresses: isIP(name) === 0 ? undefined : makeAddressSet([readNetwork(name)]),
    port: port === undefined ? undefined : Number(port),
  };
}
