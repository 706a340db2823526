import { expect, it } from 'vitest';
import { openWarning, reachable } from './open-host.ts';

const plain = { port: undefined, tlsCertFile: undefined };

it.each(['0.0.0.0', '::'])('a host that is every address (%s) is warned of, with what is open', (host) => {
  const said = `Warning: GATELOG_HOST is ${host}: who reaches this machine reaches both ports, in plain http, and /metrics without a key (GATELOG_METRICS_KEY).`;
  expect(openWarning({ ...plain, host, metricsKey: undefined })).toEqual([said, '']);
  expect(openWarning({ ...plain, host, metricsKey: 'k' })[0]).toMatch(/both ports, in plain http\.$/);
});

it('with a certificate and one port, the warning names neither plain http nor two', () => {
  const said = 'Warning: GATELOG_HOST is ::: who reaches this machine reaches the port.';
  expect(openWarning({ host: '::', port: 443, metricsKey: 'k', tlsCertFile: '/cert.pem' })).toEqual([said, '']);
});

it('no other host is warned of', () => {
  expect(['127.0.0.1', '::1', 'localhost', '10.0.0.5'].map((host) => openWarning({ ...plain, host, metricsKey: undefined }))).toEqual([
    [],
    [],
    [],
    [],
  ]);
});

it('addresses are shown as others reach them', () => {
  for (const every of ['http://0.0.0.0:8787', 'http://[::]:8787']) {
    expect(reachable(every)).toMatch(/^http:\/\/(?:\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]+\]):8787$/);
    expect(reachable(every.replace('http', 'https'))).toBe(reachable(every).replace('http', 'https'));
    expect(reachable(every)).not.toContain(new URL(every).hostname);
  }
  expect(reachable('http://127.0.0.1:8787')).toBe('http://127.0.0.1:8787');
});
