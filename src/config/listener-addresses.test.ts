import { expect, it } from 'vitest';
import { listenerAddresses, oneAddress } from './listener-addresses.ts';

const unset = { publicGatewayUrl: undefined, publicApiUrl: undefined };
const ports = { port: undefined, basePath: '', tlsCertFile: undefined, gatewayPort: 8787, apiPort: 8788 };

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
  ['any free port', { host: '127.0.0.1', ...ports, gatewayPort: 0, apiPort: 0 }],
])('%s is not guessed', (_name, settings) => {
  expect(listenerAddresses({ ...settings, ...unset })).toEqual({ gateway: undefined, api: undefined });
});

it('at one address the gateway lies below the API', () => {
  const one = { ...ports, ...unset, host: '127.0.0.1', port: 8080, basePath: '/llm' };
  expect(listenerAddresses(one)).toEqual({ gateway: 'http://127.0.0.1:8080/llm/gateway', api: 'http://127.0.0.1:8080/llm' });
  expect(listenerAddresses({ ...one, tlsCertFile: '/cert.pem' }).api).toBe('https://127.0.0.1:8080/llm');
  expect(oneAddress({ ...one, host: '::' })).toBe('http://[::]:8080/llm');
  expect(oneAddress({ ...one, port: undefined })).toBeUndefined();
});
