/**
 * First segments below `/v1/` of all API paths, in every version. OpenAI uses none of them. The gateway refuses them, so that a call meant
 * for the API never reaches a provider.
 */
export const apiPathSegments = [
  'request',
  'import',
  'incidents',
  'jobs',
  'session',
  'property',
  'metrics',
  'user',
  'webhooks',
  'alerts',
  'rules',
  'api-keys',
  'provider-keys',
  'rate-limits',
  'redaction-rules',
  'retention',
  'prices',
  'export',
  'trace',
  'otlp',
  'public',
  'session-cookie',
  'views',
  'boards',
  'health',
] as const;
