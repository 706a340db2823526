import { describe, expect, it } from 'vitest';
import { loadConfig } from './load.ts';
import { serviceLinksIn } from './service-links.ts';

/** What a pod gets of a Service `gatelog` with the ports `gateway` and `api`. */
const links = {
  GATELOG_SERVICE_HOST: '10.0.0.1',
  GATELOG_SERVICE_PORT: '8787',
  GATELOG_SERVICE_PORT_GATEWAY: '8787',
  GATELOG_SERVICE_PORT_API: '8788',
  GATELOG_PORT: 'tcp://10.0.0.1:8787',
  GATELOG_PORT_8787_TCP: 'tcp://10.0.0.1:8787',
  GATELOG_PORT_8787_TCP_PROTO: 'tcp',
  GATELOG_PORT_8787_TCP_PORT: '8787',
  GATELOG_PORT_8787_TCP_ADDR: '10.0.0.1',
};

describe('variables that Kubernetes sets for a Service', () => {
  it('named gatelog are no settings', () => {
    expect(loadConfig(links)).toEqual(loadConfig({}));
    expect(serviceLinksIn({ ...links, GATELOG_HOST: '::' })).toEqual(Object.keys(links));
  });

  it('may have addresses of IPv6', () => {
    const ofIpv6 = { GATELOG_SERVICE_HOST: 'fd00::1', GATELOG_PORT: 'tcp://[fd00::1]:8787', GATELOG_PORT_8787_TCP_ADDR: 'fd00::1' };
    expect(serviceLinksIn(ofIpv6)).toEqual(Object.keys(ofIpv6));
  });

  it('named gatelog-api have the name of a setting, which keeps its default', () => {
    const ofApi = { GATELOG_API_PORT: 'tcp://10.0.0.1:80', GATELOG_API_SERVICE_HOST: '10.0.0.1', GATELOG_API_SERVICE_PORT: '80' };
    expect(loadConfig(ofApi)).toEqual(loadConfig({}));
  });

  it.each([
    ['GATELOG_API_PORT', 'tcp://example.com:8787'],
    ['GATELOG_API_PORT', 'http://10.0.0.1:8787'],
    ['GATELOG_SERVICE_HOST', 'example.com'],
    ['GATELOG_SERVICE_PORT', 'http'],
    ['GATELOG_PORT_8787_TCP_PROTO', 'quic'],
    ['GATELOG_PORT_8787', 'tcp://10.0.0.1:8787'],
    ['GATELOG_SERVICES_HOST', '10.0.0.1'],
  ])('are none in another shape: %s=%s stops the start', (name, value) => {
    expect(serviceLinksIn({ [name]: value })).toEqual([]);
    expect(loadConfig({ [name]: value })).toMatchObject({ faults: [{ variable: name }] });
  });
});
