import type { AddressedProvider } from '../../model/vocabulary/providers.ts';
import type { WireFacts } from '../wire.ts';

export const bedrockName: AddressedProvider = 'bedrock';

/** Bedrock's formats. */
export const amazonWire: WireFacts = {
  binaryStreamTypes: ['amazon.eventstream'],
  failureMessageHeaders: [':exception-type', ':error-code'],
  cacheKeyHeaders: [
    'x-amzn-bedrock-accept',
    'x-amzn-bedrock-guardrailidentifier',
    'x-amzn-bedrock-guardrailversion',
    'x-amzn-bedrock-performanceconfig-latency',
    'x-amzn-bedrock-service-tier',
    'x-amzn-bedrock-trace',
  ],
  recordedResponseHeaders: ['x-amzn-requestid'],
};

/** A path below `/v1/` that names a region, and the path below that: Helicone's base address for Bedrock ends in `/v1/<region>`. */
export const bedrockRegionPath = /^\/v1\/([a-z]{2}(?:-[a-z]+){1,2}-\d{1,2})(\/(?:model|async-invoke|guardrail)\/.*)$/s;

/** Bedrock's name in what an AWS signature covers. */
export const bedrockService = 'bedrock';

/** Host of Bedrock, with its region. */
export const bedrockHost = /^bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com$/;

/** Headers in which Helicone's Bedrock clients send the keys of an AWS account, and the session token of Amazon's own clients. */
export const awsKeyHeaders = ['aws-access-key', 'aws-secret-key', 'aws-session-token', 'x-amz-security-token'] as const;
export type AwsKeyHeader = (typeof awsKeyHeaders)[number];
