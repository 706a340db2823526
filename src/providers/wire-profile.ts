import { amazonWire } from './amazon/wire.ts';
import { anthropicWire } from './anthropic/wire.ts';
import { cohereWire } from './cohere/wire.ts';
import { googleWire } from './google/wire.ts';
import { ollamaWire } from './ollama/wire.ts';
import { openAiWire } from './openai/wire.ts';
import type { WireProfile } from './format/wire.ts';

const formats: readonly WireProfile[] = [openAiWire, googleWire, anthropicWire, amazonWire, cohereWire, ollamaWire];

function all<Name extends keyof WireProfile>(name: Name): NonNullable<WireProfile[Name]>[number][] {
  return formats.flatMap((format) => (format[name] ?? []) as NonNullable<WireProfile[Name]>[number][]);
}

/**
 * The facts of all wire formats together. The gateway looks ends and failures up in all of them, as any address may respond in any format.
 */
export const wireProfile = {
  streamEndMarkers: all('streamEndMarkers'),
  finalEventTypes: all('finalEventTypes'),
  finalEventTexts: all('finalEventTexts'),
  contentEvents: all('contentEvents'),
  streamEvents: all('streamEvents'),
  contentTexts: all('contentTexts'),
  contentObjects: all('contentObjects'),
  failureEvents: all('failureEvents'),
  failedFinishReasons: all('failedFinishReasons'),
  failedElements: all('failedElements'),
  binaryStreamTypes: all('binaryStreamTypes'),
  listedMembers: all('listedMembers'),
  finalMessageHeaders: all('finalMessageHeaders'),
  failureMessageHeaders: all('failureMessageHeaders'),
  usageMembers: all('usageMembers'),
  userMembers: all('userMembers'),
  backgroundPaths: all('backgroundPaths'),
  addressHeaders: all('addressHeaders'),
  addressMembers: all('addressMembers'),
  keyHeaders: all('keyHeaders'),
  clientHeaders: all('clientHeaders'),
  versionHeaders: all('versionHeaders'),
  cacheKeyHeaders: all('cacheKeyHeaders'),
  recordedRequestHeaders: all('recordedRequestHeaders'),
  recordedResponseHeaders: all('recordedResponseHeaders'),
  repeatedHeaders: all('repeatedHeaders'),
  perDeliveryPrefixes: all('perDeliveryPrefixes'),
  nativePrefixes: all('nativePrefixes'),
  nativePaths: all('nativePaths'),
} as const;
