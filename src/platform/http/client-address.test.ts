import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { clientAddressBehind, clientAddressOfWorker } from './client-address.ts';

const from = (remoteAddress: string | undefined, ...rawHeaders: string[]) => ({ socket: { remoteAddress } as Socket, rawHeaders });
const forwarded = (remoteAddress: string, ...values: string[]) =>
  from(remoteAddress, ...values.flatMap((value) => ['X-Forwarded-For', value]));

it('without a trusted proxy the header is not read', () => {
  expect(clientAddressBehind([])(forwarded('10.0.0.1', '192.0.2.1'))).toBe('10.0.0.1');
});

const addressOf = clientAddressBehind(['10.0.0.0/8', '127.0.0.1', 'fd00::/8']);

it.each([
  ['the client that a trusted proxy names', ['10.0.0.1', '192.0.2.1'], '192.0.2.1'],
  ['behind several proxies, the last one that is not trusted', ['10.0.0.1', '192.0.2.1, 10.0.0.3, 10.0.0.2'], '192.0.2.1'],
  ['not what the client itself has written', ['10.0.0.1', '203.0.113.9, 192.0.2.1'], '192.0.2.1'],
  ['not what a second header of the client says', ['10.0.0.1', '203.0.113.9', '192.0.2.1'], '192.0.2.1'],
  ['the sender, which is no trusted proxy', ['192.0.2.1', '203.0.113.9'], '192.0.2.1'],
  ['the proxy that names nobody', ['10.0.0.1'], '10.0.0.1'],
  ['the proxy before a text that is no address', ['10.0.0.1', '203.0.113.9, unknown, 10.0.0.2'], '10.0.0.2'],
  ['the first proxy where all are trusted', ['127.0.0.1', '10.0.0.3, 10.0.0.2'], '10.0.0.3'],
  ['a client of IPv6, with a port', ['fd00::1', '[2001:db8::1]:4711'], '2001:db8::1'],
  ['a client of IPv4, with a port', ['fd00::1', '192.0.2.1:4711'], '192.0.2.1'],
  ['through a proxy that a listener for both families sees', ['::ffff:10.0.0.1', '::ffff:192.0.2.1'], '192.0.2.1'],
] as const)('%s', (_name, [remote, ...values], client) => {
  expect(addressOf(forwarded(remote, ...values))).toBe(client);
});

it('a list of many proxies is read from its end, up to a bound', () => {
  const hops = ['192.0.2.1', ...Array.from({ length: 100_000 }, () => '10.0.0.2')].join(',');
  expect(addressOf(forwarded('10.0.0.1', hops))).toBe('10.0.0.2');
});

it('a worker tells its clients by the mark of the deployment, and no one else does', () => {
  const ofWorker = clientAddressOfWorker('mark');
  const line = (value: string) => from('127.0.0.1', 'X-Gatelog-Client-Address', value);
  expect(ofWorker(line('mark 192.0.2.1'))).toBe('192.0.2.1');
  for (const forged of ['192.0.2.1', 'mork 192.0.2.1', 'mark', 'mark unknown', ' 192.0.2.1']) {
    expect(ofWorker(line(forged))).toBe('127.0.0.1');
  }
  expect(ofWorker(from('127.0.0.1'))).toBe('127.0.0.1');
});
