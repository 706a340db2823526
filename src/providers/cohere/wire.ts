import type { WireFacts } from '../format/wire.ts';

export const cohereWire: WireFacts = {
  streamEndMarkers: ['message-end'],
  finalEventTypes: ['message-end'],
  failedFinishReasons: ['ERROR', 'TIMEOUT'],
};
