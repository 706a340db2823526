import { BlockList, isIP } from 'node:net';

/** A network: an address and the number of its leading bits. */
export interface Network {
  readonly address: string;
  readonly bits: number;
}

/** A set of addresses; it contains IPv4 addresses in their IPv6 forms too (mapped, and through NAT64). */
export type AddressSet = (address: string) => boolean;

/** Prefix under which IPv6-only networks write IPv4 addresses (RFC 6052). */
const nat64 = '64:ff9b::';

/**
 * IPv4 networks that are not the public internet: the special-purpose registry of IANA (RFC 6890 and its updates), multicast, and the one
 * address in public space at which a cloud answers its own machines (Azure's 168.63.129.16).
 */
const closedV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Of IPv6 only the public range is open, and the two forms of IPv4 addresses, which are checked against the list above. */
const openV6 = ['2000::/3', '::ffff:0:0/96', `${nat64}/96`];

/** Closed within it: protocol assignments (Teredo, ORCHID), documentation, and 6to4, which leads to any IPv4 address that it names. */
const closedV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const isClosed = makeAddressSet([...closedV4, ...closedV6].map(readNetwork));
const isOpenV6 = makeAddressSet(openV6.map(readNetwork));

/** Whether a text is an address on the public internet. Addresses with a zone are not. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !isClosed(address) && (family === 4 || isOpenV6(address));
}

export function makeAddressSet(networks: readonly Network[]): AddressSet {
  const list = new BlockList();
  for (const { address, bits } of networks) {
    if (isIP(address) === 6) list.addSubnet(address, bits, 'ipv6');
    else {
      list.addSubnet(address, bits, 'ipv4');
      list.addSubnet(nat64 + address, 96 + bits, 'ipv6');
    }
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
  };
}

/** Reads `address/bits` or a single address. */
export function readNetwork(text: string): Network {
  const [address = '', bits] = text.split('/');
  return { address, bits: bits === undefined ? (isIP(address) === 4 ? 32 : 128) : Number(bits) };
}
