import { type HeliconeOperations, lines } from './groups.ts';
import { refusedOperations } from './refused.ts';

/** Every operation of Helicone's public API (its OpenAPI document of August 2026, and the metrics that older documents have). */
export const heliconeOperations: readonly HeliconeOperations[] = [
  {
    group: 'Requests',
    fate: 'here',
    sentence: '',
    operations: lines(`
      POST /v1/request/count/query
      POST /v1/request/query
      POST /v1/request/query-clickhouse
      GET /v1/request/{requestId}
      POST /v1/request/query-ids
      POST /v1/request/{requestId}/feedback
      PUT /v1/request/{requestId}/property
      POST /v1/request/{requestId}/assets/{assetId}
      POST /v1/request/{requestId}/score
    `),
  },
  {
    group: 'Requests',
    fate: 'elsewhere',
    sentence: '`inputs` of an item with `includeInputs: true`, or `GET /v1/request/{id}`',
    operations: lines(`
      GET /v1/request/{requestId}/inputs
    `),
  },
  {
    group: 'Sessions',
    fate: 'here',
    sentence: '',
    operations: lines(`
      POST /v1/session/query
      POST /v1/session/count
      POST /v1/session/name/query
      POST /v1/session/metrics/query
      POST /v1/session/{sessionId}/feedback
      GET /v1/session/{sessionId}/tag
      POST /v1/session/{sessionId}/tag
    `),
  },
  {
    group: 'Users',
    fate: 'here',
    sentence: '',
    operations: lines(`
      POST /v1/user/metrics-overview/query
      POST /v1/user/metrics/query
      POST /v1/user/query
    `),
  },
  {
    group: 'Properties',
    fate: 'here',
    sentence: '',
    operations: lines(`
      POST /v1/property/query
      POST /v1/property/hide
      POST /v1/property/hidden/query
      POST /v1/property/restore
      POST /v1/property/{propertyKey}/search
      POST /v1/property/properties/over-time
      POST /v1/property/{propertyKey}/top-costs/query
      POST /v1/property/{propertyKey}/top-requests/query
    `),
  },
  {
    group: 'Keys of Gatelog',
    fate: 'here',
    sentence: '',
    operations: lines(`
      GET /v1/api-keys
      POST /v1/api-keys
      DELETE /v1/api-keys/{apiKeyId}
      PATCH /v1/api-keys/{apiKeyId}
    `),
  },
  {
    group: 'Keys of providers',
    fate: 'elsewhere',
    sentence:
      '`/v1/provider-keys`: [keys of providers](provider-keys.md); a stored key is never shown again, and `proxy-key` is not needed',
    operations: lines(`
      GET /v1/api-keys/provider-key/{providerKeyId}
      DELETE /v1/api-keys/provider-key/{providerKeyId}
      PATCH /v1/api-keys/provider-key/{providerKeyId}
      POST /v1/api-keys/provider-key
      GET /v1/api-keys/provider-keys
      POST /v1/api-keys/proxy-key
      POST /v1/vault/add
      GET /v1/vault/keys
      GET /v1/vault/key/{providerKeyId}
      PATCH /v1/vault/update/{id}
    `),
  },
  {
    group: 'Models',
    fate: 'here',
    sentence: '',
    operations: lines(`
      GET /v1/models
      GET /v1/public/model-registry/models
    `),
  },
  {
    group: 'Models',
    fate: 'elsewhere',
    sentence: '`GET /v1/models`; which of them read pictures is not known here',
    operations: lines(`
      GET /v1/models/multimodal
    `),
  },
  {
    group: 'Scores',
    fate: 'here',
    sentence: '',
    operations: lines(`
      POST /v1/evals/{requestId}
    `),
  },
  {
    group: 'Scores',
    fate: 'later',
    sentence: 'scores are filtered and read on requests',
    operations: lines(`
      POST /v1/evals/query
      GET /v1/evals/scores
      POST /v1/evals/score-distributions/query
    `),
  },
  {
    group: 'Webhooks',
    fate: 'here',
    sentence: '',
    operations: lines(`
      GET /v1/webhooks
      POST /v1/webhooks
      DELETE /v1/webhooks/{webhookId}
      POST /v1/webhooks/{webhookId}/test
    `),
  },
  {
    group: 'Logging without the gateway',
    fate: 'here',
    sentence: '',
    operations: lines(`
      POST /v1/trace/custom/v1/log
      POST /v1/trace/custom/log
      POST /v1/trace/custom/log/typed
      POST /v1/trace/log
      POST /v1/trace/log-python
    `),
  },
  {
    group: 'Figures of the dashboard',
    fate: 'elsewhere',
    sentence: '`POST /v1/metrics/query`, and `POST /v1/user/metrics/query`',
    operations: lines(`
      POST /v1/pi/session
      POST /v1/pi/org-name/query
      POST /v1/pi/total-costs
      POST /v1/pi/total_requests
      POST /v1/pi/costs-over-time/query
      POST /v1/dashboard/scores/query
      POST /v1/customer/{customerId}/usage/query
      POST /v1/customer/query
    `),
  },
  {
    group: 'Metrics',
    fate: 'here',
    sentence: '',
    operations: lines(`
      POST /v1/metrics/totalRequests
      POST /v1/metrics/totalCost
      POST /v1/metrics/averageLatency
      POST /v1/metrics/averageTimeToFirstToken
      POST /v1/metrics/averageTokensPerRequest
      POST /v1/metrics/totalThreats
      POST /v1/metrics/activeUsers
      POST /v1/metrics/requestCount
      POST /v1/metrics/requestOverTime
      POST /v1/metrics/costOverTime
      POST /v1/metrics/tokensOverTime
      POST /v1/metrics/detailedTokensOverTime
      POST /v1/metrics/modelUsageOverTime
      POST /v1/metrics/latencyOverTime
      POST /v1/metrics/timeToFirstToken
      POST /v1/metrics/usersOverTime
      POST /v1/metrics/threatsOverTime
      POST /v1/metrics/errorOverTime
      POST /v1/metrics/requestStatusOverTime
      POST /v1/metrics/models
      POST /v1/metrics/country
      POST /v1/metrics/quantiles
    `),
  },
  ...refusedOperations,
];
