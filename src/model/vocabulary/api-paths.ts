/**
 * First segments below `/v1/` of all paths of the API, those of later versions too. OpenAI has none of them: the gateway refuses them, so that
 * what was meant for the API goes to nobody else.
 */
export const apiPathSegments = [
  'request',
  'session',
  'property',
  'metrics',
  'user',
  'webhooks',
  'alerts',
  'api-keys',
  'provider-keys',
  'rate-limits',
  'redaction-rules',
  'retention',
  'prices',
  'export',
  'trace',
] as const;
