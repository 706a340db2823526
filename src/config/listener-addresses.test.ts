import { expect, it } from 'vitest';
import { listenerAddresses } from './listener-addresses.ts';

const unset = { publicGatewayUrl: undefined, publicApiUrl: undefined };
const ports = { gatewayPort: 8787, apiPort: 8788 };

it('the public addresses come first', () => {
  const given = { publicGatewayUrl: 'https://llm.example.com', publicApiUrl: 'https://logs.example.com/base' };
  expect(listenerAddresses({ host: '127.0.0.1', ...ports, ...given })).toEqual({
    gateway: 'https://llm.example.com',
    api: 'https://logs.example.com/base',
  });
});

it.each([
  ['127.0.0.1', 'http://127.0.0.1:8788'],
  ['localhost', 'http://localhost:8788'],
  ['::1', 'http://[::1]:8788'],
])('without them a listener at %s is reached there', (host, api) => {
  expect(listenerAddresses({ host, ...ports, ...unset }).api).toBe(api);
});

it.each([
  ['an address for others', { host: '0.0.0.0', ...ports }],
  ['any free port', { host: '127.0.0.1', gatewayPort: 0, apiPort: 0 }],
])('%s is not guessed', (_name, settings) => {
  expect(listenerAddresses({ ...settings, ...unset })).toEqual({ gateway: undefined, api: undefined });
});
