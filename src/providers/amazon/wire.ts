import type { AddressedProvider } from '../../model/providers/providers.ts';
import type { WireProfile } from '../format/wire.ts';

export const bedrockName: AddressedProvider = 'bedrock';

export const amazonWire: WireProfile = {
  binaryStreamTypes: ['amazon.eventstream'],
  // Of the last chunk of a stream that a model of any maker was invoked for.
  finalEventTexts: ['"amazon-bedrock-invocationMetrics"'],
  // A text (7) of 11 bytes.
  finalMessageHeaders: [':event-type\u0007\u0000\u000bmessageStop'],
  failureMessageHeaders: [':exception-type', ':error-code'],
  // Of Llama and of Titan; others have members of other formats.
  contentTexts: ['generation', 'outputText'],
  cacheKeyHeaders: [
    'x-amzn-bedrock-accept',
    'x-amzn-bedrock-guardrailidentifier',
    'x-amzn-bedrock-guardrailversion',
    'x-amzn-bedrock-performanceconfig-latency',
    'x-amzn-bedrock-service-tier',
    'x-amzn-bedrock-trace',
  ],
  recordedResponseHeaders: [
    'x-amzn-requestid',
    'x-amzn-bedrock-input-token-count',
    'x-amzn-bedrock-output-token-count',
    'x-amzn-bedrock-cache-read-input-token-count',
    'x-amzn-bedrock-cache-write-input-token-count',
  ],
};

/**
 * Matches a path below `/v1/` with a region, and captures the path below that. Helicone's base address for Bedrock ends in `/v1/<region>`.
 */
export const bedrockRegionPath = /^\/v1\/([a-z]{2}(?:-[a-z]+){1,2}-\d{1,2})(\/(?:model|async-invoke|guardrail)\/.*)$/s;

/** The service name in an AWS signature. */
export const bedrockService = 'bedrock';

/** Captures the region. */
export const bedrockHost = /^bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com$/;

/** Headers with the keys of an AWS account from Helicone's Bedrock clients, and with the session token from Amazon's own clients. */
export const awsKeyHeaders = ['aws-access-key', 'aws-secret-key', 'aws-session-token', 'x-amz-security-token'] as const;
export type AwsKeyHeader = (typeof awsKeyHeaders)[number];
