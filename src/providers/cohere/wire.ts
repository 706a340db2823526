import type { WireProfile } from '../format/wire.ts';

export const cohereWire: WireProfile = {
  streamEndMarkers: ['message-end'],
  finalEventTypes: ['message-end'],
  contentEvents: ['content-delta', 'tool-plan-delta', 'tool-call-delta', 'text-generation', 'tool-calls-chunk'],
  streamEvents: [
    '(?:message|content|tool-call|citation|stream)-(?:start|end)',
    'search-(?:queries-generation|results)',
    'tool-calls-generation',
    'citation-generation',
  ],
  contentTexts: ['tool_plan'],
  failedFinishReasons: ['ERROR', 'TIMEOUT'],
};
