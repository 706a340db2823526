import { networkInterfaces } from 'node:os';

/** Addresses of this machine that others can use come first; 127.0.0.1 is always one. Link-local ones, which need a scope, are left out. */
export function localAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const usable = all.filter(({ address, internal }) => !internal && !address.startsWith('fe80:'));
  const fours = usable.filter(({ family }) => family === 'IPv4');
  const sixes = usable.filter(({ family }) => family === 'IPv6');
  return [...fours, ...sixes].map(({ address }) => address).concat('127.0.0.1');
}
