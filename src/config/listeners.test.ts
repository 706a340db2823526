import { expect, it } from 'vitest';
import { faultSentence, loadConfig } from './load.ts';

function read(environment: Record<string, string>): readonly string[] | object {
  const loaded = loadConfig(environment, { cores: 1 });
  return 'faults' in loaded ? loaded.faults.map(faultSentence) : loaded.config;
}

it('trusted proxies are addresses and networks', () => {
  expect(read({ GATELOG_TRUSTED_PROXIES: '10.0.0.1, FD00::/8' })).toMatchObject({ trustedProxies: ['10.0.0.1', 'fd00::/8'] });
  for (const wrong of ['proxy.example.com', '10.0.0.0/33', '10.0.0.1:80']) {
    expect(read({ GATELOG_TRUSTED_PROXIES: wrong })).toEqual([
      `GATELOG_TRUSTED_PROXIES has the entry "${wrong}", which is neither an IP address nor a CIDR; write IP addresses and CIDRs with commas between, for example 10.0.0.1,fd00::/8.`,
    ]);
  }
});

it('a certificate has its key, and a key its certificate', () => {
  const remedy = 'set both, or neither of them.';
  expect(read({ GATELOG_TLS_CERT_FILE: '/cert.pem' })).toEqual([`GATELOG_TLS_CERT_FILE is set without GATELOG_TLS_KEY_FILE; ${remedy}`]);
  expect(read({ GATELOG_TLS_KEY_FILE: '/key.pem' })).toEqual([`GATELOG_TLS_KEY_FILE is set without GATELOG_TLS_CERT_FILE; ${remedy}`]);
});
