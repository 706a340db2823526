import { addressOr, type FrontPage, type ListenerAddresses } from '../../platform/http/front-page.ts';

export function apiFrontPage({ gateway, api }: ListenerAddresses): FrontPage {
  return {
    title: 'Gatelog API',
    sentences: [
      'Query and change here what the gateway has recorded, with a Gatelog key as "Authorization: Bearer KEY".',
      gateway === undefined
        ? 'Model calls go to the gateway, which is on a port of its own (GATELOG_GATEWAY_PORT, 8787 unless set), or with GATELOG_PORT on this one at /gateway.'
        : 'Model calls go to the gateway, which has an address of its own.',
    ],
    addresses: [
      { name: 'API', address: api, what: 'this listener' },
      { name: 'Gateway', address: gateway, what: 'takes model calls; most clients want /v1 behind it' },
    ],
    example: {
      title: 'The latest request',
      command: [
        `curl ${addressOr(api, '$GATELOG_API_URL')}/v1/request/query-clickhouse`,
        `-H "Authorization: Bearer $GATELOG_API_KEY"`,
        `-H "Content-Type: application/json"`,
        `-d '{"filter": "all", "limit": 1}'`,
      ],
    },
    base: api,
    links: {
      '/': 'the dashboard, in a browser',
      '/docs': 'the reference of the API, to read and to try out',
      '/docs/guides': 'guides',
      '/openapi.json': 'every endpoint, as an OpenAPI document',
      '/mcp': 'the tools of this service for models, over the Model Context Protocol',
      '/readyz': 'whether the store answers and records are stored',
      '/metrics': 'numbers for Prometheus',
    },
  };
}
