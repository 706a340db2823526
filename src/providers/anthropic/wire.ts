import type { WireFacts } from '../wire.ts';

export const anthropicWire: WireFacts = {
  streamEndMarkers: ['message_stop'],
  finalEventTypes: ['message_stop'],
  userMembers: ['metadata'],
  keyHeaders: [{ name: 'x-api-key', owners: ['anthropic'] }],
  clientHeaders: [['anthropic-version', 'anthropic']],
  versionHeaders: ['anthropic-beta', 'anthropic-version'],
  recordedResponseHeaders: ['request-id'],
  perDeliveryPrefixes: ['anthropic-ratelimit-'],
  nativePaths: [{ provider: 'anthropic', path: /^\/v1\/messages(?:[/?]|$)/ }],
};
