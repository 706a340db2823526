import { expect, it } from 'vitest';
import { channelText } from './channel-text.ts';

const webhooks = [
  { id: 'w1', name: 'ops', destination: 'https://a.example/x' },
  { id: 'w2', name: null, destination: 'https://b.example:8443/x/secret' },
];
const known = { id: 'c', readable: true };

it('a channel is named with where it leads, without the part of an address that may be a secret', () => {
  const shown = [
    channelText({ ...known, type: 'webhook', destination: 'https://hooks.example.com/…' }, webhooks),
    channelText({ ...known, type: 'slack', url: 'https://hooks.slack.com/…' }, webhooks),
    channelText({ ...known, type: 'email', to: ['a@example.com', 'b@example.com'] }, webhooks),
    channelText({ ...known, type: 'pagerduty', routingKey: '…1a2b' }, webhooks),
    channelText({ ...known, type: 'webhook', webhookId: 'w1' }, webhooks),
    channelText({ ...known, type: 'webhook', webhookId: 'w2' }, webhooks),
    channelText({ ...known, type: 'webhook', webhookId: 'w3' }, webhooks),
  ];
  expect(shown).toEqual([
    'webhook hooks.example.com/…',
    'slack hooks.slack.com/…',
    'email a@example.com, b@example.com',
    'pagerduty …1a2b',
    'webhook ops',
    'webhook b.example:8443/…',
    'webhook',
  ]);
});
