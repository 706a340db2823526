import type { WireFacts } from '../wire.ts';

/** Cohere's chat. */
export const cohereWire: WireFacts = {
  streamEndMarkers: ['message-end'],
  finalEventTypes: ['message-end'],
  failedFinishReasons: ['ERROR', 'TIMEOUT'],
};
