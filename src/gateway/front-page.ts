import { addressOr, type FrontPage, type ListenerAddresses } from '../platform/http/front-page.ts';

export function gatewayFrontPage({ gateway, api }: ListenerAddresses): FrontPage {
  const links = { '/readyz': 'whether calls are taken', '/healthz': 'whether the process is alive' };
  return {
    title: 'Gatelog gateway',
    sentences: [
      'Send calls to LLM providers here, with this address as the base address of your client and a Gatelog key. Each is passed on and recorded.',
      api === undefined
        ? 'The API that finds them again is on a port of its own (GATELOG_API_PORT, 8788 unless set), or with GATELOG_PORT on this one without /gateway; its /docs has the documentation.'
        : 'The API that finds them again has an address of its own.',
    ],
    addresses: [
      { name: 'Gateway', address: gateway, what: 'this listener; most clients want /v1 behind it' },
      { name: 'API', address: api, what: 'finds requests and sessions again' },
    ],
    example: {
      title: 'A first call, which needs no account of a provider',
      command: [
        `curl ${addressOr(gateway, '$GATELOG_GATEWAY_URL')}/v1/chat/completions`,
        `-H "Authorization: Bearer $GATELOG_API_KEY"`,
        `-H "Content-Type: application/json"`,
        `-d '{"model": "echo/demo", "messages": [{"role": "user", "content": "Hello"}]}'`,
      ],
    },
    base: gateway,
    links: api === undefined ? links : { [`${api}/docs`]: 'the documentation, and the reference of the API to try out', ...links },
  };
}
