import type { Variable } from './variable.ts';

/** Where the service listens, and how others reach it. */
export const listenerVariables = {
  host: {
    name: 'GATELOG_HOST',
    kind: 'host',
    default: '127.0.0.1',
    reason: 'Address that both listeners bind to; 0.0.0.0 opens them to the network.',
  },
  gatewayPort: {
    name: 'GATELOG_GATEWAY_PORT',
    kind: 'integer',
    default: '8787',
    min: 0,
    max: 65_535,
    reason: 'Port of the gateway; 0 takes any free one.',
  },
  apiPort: {
    name: 'GATELOG_API_PORT',
    kind: 'integer',
    default: '8788',
    min: 0,
    max: 65_535,
    reason: 'Port of the API; 0 takes any free one.',
  },
  port: {
    name: 'GATELOG_PORT',
    kind: 'integer',
    min: 1,
    max: 65_535,
    reason:
      'Port of one listener for both, in place of GATELOG_GATEWAY_PORT and GATELOG_API_PORT: the gateway under /gateway, the API and the dashboard at /.',
  },
  basePath: {
    name: 'GATELOG_BASE_PATH',
    kind: 'urlPath',
    default: '',
    reason: 'Path before all paths of the one listener (GATELOG_PORT); a proxy in front passes it on.',
  },
  publicUrl: {
    name: 'GATELOG_PUBLIC_URL',
    kind: 'url',
    schemes: ['https', 'http'],
    reason:
      'Address of the one listener (GATELOG_PORT) as callers see it; GATELOG_BASE_PATH is added where it lacks it. It gives GATELOG_PUBLIC_API_URL and GATELOG_PUBLIC_GATEWAY_URL. Default: the listening address.',
  },
  publicApiUrl: {
    name: 'GATELOG_PUBLIC_API_URL',
    kind: 'url',
    schemes: ['https', 'http'],
    reason: 'Base of the URLs that the API returns and that the pages at / show. Default: the listening address.',
  },
  publicGatewayUrl: {
    name: 'GATELOG_PUBLIC_GATEWAY_URL',
    kind: 'url',
    schemes: ['https', 'http'],
    reason:
      'Address of the gateway as callers see it, for examples, the pages at / and the addresses in replies that become its own. Default: the listening address.',
  },
  trustedProxies: {
    name: 'GATELOG_TRUSTED_PROXIES',
    kind: 'networks',
    default: '',
    reason:
      'Proxies in front whose X-Forwarded-For says who calls: the last address in it that is none of them counts, for GATELOG_AUTH_FAILURES_PER_MINUTE. Default: the header is not read.',
  },
  tlsCertFile: {
    name: 'GATELOG_TLS_CERT_FILE',
    kind: 'text',
    reason:
      'Certificate of all listeners, PEM, with the chain up to a known issuer; with it they speak https alone. Renewed files are taken up within seconds, without a restart.',
  },
  tlsKeyFile: {
    name: 'GATELOG_TLS_KEY_FILE',
    kind: 'text',
    reason: 'Private key of GATELOG_TLS_CERT_FILE, PEM, without a password.',
  },
} as const satisfies Readonly<Record<string, Variable>>;
