import type { WireProfile } from '../format/wire.ts';

export const anthropicWire: WireProfile = {
  streamEndMarkers: ['message_stop'],
  finalEventTypes: ['message_stop'],
  // A message whose parts are all there comes in its first event.
  contentEvents: ['message_start', 'content_block_(?:start|delta)', 'completion'],
  streamEvents: ['content_block_stop', 'message_delta', 'message_stop', 'ping'],
  contentTexts: ['thinking', 'partial_json', 'completion'],
  userMembers: ['metadata'],
  // A batch, after its making or cancellation too, and the list of batches; not the results themselves.
  addressMembers: [{ provider: 'anthropic', path: /\/messages\/batches(?:\/[^/?]+(?:\/cancel)?)?\/?(?:\?|$)/, members: ['results_url'] }],
  keyHeaders: [{ name: 'x-api-key', owners: ['anthropic'] }],
  clientHeaders: [['anthropic-version', 'anthropic']],
  versionHeaders: ['anthropic-beta', 'anthropic-version'],
  recordedResponseHeaders: ['request-id'],
  perDeliveryPrefixes: ['anthropic-ratelimit-'],
  nativePaths: [{ provider: 'anthropic', path: /^\/v1\/messages(?:[/?]|$)/ }],
};
