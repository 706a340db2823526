import { type HeliconeOperations, lines } from './groups.ts';

/** Operations that stay out. */
export const refusedOperations: readonly HeliconeOperations[] = [
  {
    group: 'Stored prompts',
    fate: 'refused',
    sentence: 'prompts belong into the application; a call that needs one is 422 `prompt_not_supported`',
    operations: lines(`
      GET /v1/prompt-2025/id/{promptId}
      POST /v1/prompt-2025/id/{promptId}/rename
      PATCH /v1/prompt-2025/id/{promptId}/tags
      DELETE /v1/prompt-2025/{promptId}
      DELETE /v1/prompt-2025/{promptId}/{versionId}
      GET /v1/prompt-2025/id/{promptId}/{versionId}/inputs
      GET /v1/prompt-2025/tags
      GET /v1/prompt-2025/environments
      POST /v1/prompt-2025
      POST /v1/prompt-2025/update
      POST /v1/prompt-2025/update/environment
      POST /v1/prompt-2025/remove/environment
      GET /v1/prompt-2025/count
      POST /v1/prompt-2025/query
      POST /v1/prompt-2025/query/version
      POST /v1/prompt-2025/query/environment-version
      POST /v1/prompt-2025/query/versions
      POST /v1/prompt-2025/query/production-version
      POST /v1/prompt-2025/query/total-versions
      GET /v1/prompt/has-prompts
      POST /v1/prompt/query
      POST /v1/prompt/{promptId}/query
      DELETE /v1/prompt/{promptId}
      POST /v1/prompt/create
      PATCH /v1/prompt/{promptId}/user-defined-id
      POST /v1/prompt/version/{promptVersionId}/edit-label
      POST /v1/prompt/version/{promptVersionId}/edit-template
      POST /v1/prompt/version/{promptVersionId}/subversion-from-ui
      POST /v1/prompt/version/{promptVersionId}/subversion
      POST /v1/prompt/version/{promptVersionId}/promote
      POST /v1/prompt/version/{promptVersionId}/inputs/query
      GET /v1/prompt/{promptId}/experiments
      POST /v1/prompt/{promptId}/versions/query
      GET /v1/prompt/version/{promptVersionId}
      DELETE /v1/prompt/version/{promptVersionId}
      POST /v1/prompt/{user_defined_id}/compile
      POST /v1/prompt/{user_defined_id}/template
    `),
  },
  {
    group: 'Queries in SQL',
    fate: 'refused',
    sentence: 'filters, metrics and [exports](exporting.md) answer without access to the database',
    operations: lines(`
      GET /v1/helicone-sql/schema
      POST /v1/helicone-sql/execute
      POST /v1/helicone-sql/download
      GET /v1/helicone-sql/saved-queries
      GET /v1/helicone-sql/saved-query/{queryId}
      PUT /v1/helicone-sql/saved-query/{queryId}
      DELETE /v1/helicone-sql/saved-query/{queryId}
      POST /v1/helicone-sql/saved-queries/bulk-delete
      POST /v1/helicone-sql/saved-query
    `),
  },
  {
    group: 'Data sets',
    fate: 'refused',
    sentence: '[exports](exporting.md) of any filter make them',
    operations: lines(`
      POST /v1/helicone-dataset
      POST /v1/helicone-dataset/{datasetId}/mutate
      POST /v1/helicone-dataset/{datasetId}/query
      POST /v1/helicone-dataset/{datasetId}/count
      POST /v1/helicone-dataset/query
      POST /v1/helicone-dataset/{datasetId}/request/{requestId}
      POST /v1/helicone-dataset/{datasetId}/delete
    `),
  },
  {
    group: 'Experiments and evaluators',
    fate: 'refused',
    sentence: 'tools for evaluation write scores by `POST /v1/request/{id}/score`',
    operations: lines(`
      POST /v1/evaluator
      GET /v1/evaluator/{evaluatorId}
      PUT /v1/evaluator/{evaluatorId}
      DELETE /v1/evaluator/{evaluatorId}
      POST /v1/evaluator/query
      GET /v1/evaluator/{evaluatorId}/experiments
      GET /v1/evaluator/{evaluatorId}/onlineEvaluators
      POST /v1/evaluator/{evaluatorId}/onlineEvaluators
      DELETE /v1/evaluator/{evaluatorId}/onlineEvaluators/{onlineEvaluatorId}
      POST /v1/evaluator/python/test
      POST /v1/evaluator/llm/test
      POST /v1/evaluator/lastmile/test
      GET /v1/evaluator/{evaluatorId}/stats
      POST /v2/experiment/create/empty
      POST /v2/experiment/create/from-request/{requestId}
      POST /v2/experiment/new
      GET /v2/experiment
      GET /v2/experiment/{experimentId}
      DELETE /v2/experiment/{experimentId}
      POST /v2/experiment/{experimentId}/prompt-version
      DELETE /v2/experiment/{experimentId}/prompt-version/{promptVersionId}
      GET /v2/experiment/{experimentId}/prompt-versions
      GET /v2/experiment/{experimentId}/input-keys
      POST /v2/experiment/{experimentId}/add-manual-row
      POST /v2/experiment/{experimentId}/add-manual-rows-batch
      DELETE /v2/experiment/{experimentId}/rows
      POST /v2/experiment/{experimentId}/row/insert/batch
      POST /v2/experiment/{experimentId}/row/insert/dataset/{datasetId}
      POST /v2/experiment/{experimentId}/row/update
      POST /v2/experiment/{experimentId}/run-hypothesis
      GET /v2/experiment/{experimentId}/evaluators
      POST /v2/experiment/{experimentId}/evaluators
      DELETE /v2/experiment/{experimentId}/evaluators/{evaluatorId}
      POST /v2/experiment/{experimentId}/evaluators/run
      GET /v2/experiment/{experimentId}/should-run-evaluators
      GET /v2/experiment/{experimentId}/{promptVersionId}/scores
      GET /v2/experiment/{experimentId}/{requestId}/{scoreKey}
      POST /v1/experiment/new-empty
      POST /v1/experiment/table/new
      POST /v1/experiment/table/{experimentTableId}/query
      POST /v1/experiment/table/{experimentTableId}/metadata/query
      POST /v1/experiment/tables/query
      POST /v1/experiment/table/{experimentTableId}/cell
      PATCH /v1/experiment/table/{experimentTableId}/cell
      POST /v1/experiment/table/{experimentTableId}/column
      POST /v1/experiment/table/{experimentTableId}/row/new
      DELETE /v1/experiment/table/{experimentTableId}/row/{rowIndex}
      POST /v1/experiment/table/{experimentTableId}/row/insert/batch
      POST /v1/experiment/update-meta
      POST /v1/experiment
      POST /v1/experiment/hypothesis
      POST /v1/experiment/hypothesis/{hypothesisId}/scores/query
      GET /v1/experiment/{experimentId}/evaluators
      POST /v1/experiment/{experimentId}/evaluators
      POST /v1/experiment/{experimentId}/evaluators/run
      DELETE /v1/experiment/{experimentId}/evaluators/{evaluatorId}
      POST /v1/experiment/query
      POST /v1/experiment/dataset
      POST /v1/experiment/dataset/random
      POST /v1/experiment/dataset/query
      POST /v1/experiment/dataset/{datasetId}/row/insert
      POST /v1/experiment/dataset/{datasetId}/version/{promptVersionId}/row/new
      POST /v1/experiment/dataset/{datasetId}/inputs/query
      POST /v1/experiment/dataset/{datasetId}/mutate
    `),
  },
  {
    group: 'Integrations, playground and agent',
    fate: 'refused',
    sentence: 'parts of the hosted site',
    operations: lines(`
      GET /v1/integration
      POST /v1/integration
      GET /v1/integration/{integrationId}
      POST /v1/integration/{integrationId}
      GET /v1/integration/type/{type}
      GET /v1/integration/slack/settings
      GET /v1/integration/slack/channels
      POST /v1/integration/{integrationId}/stripe/test-meter-event
      POST /v1/playground/generate
      GET /v1/playground/requests-through-helicone
      POST /v1/playground/requests-through-helicone
      POST /v1/agent/generate
      POST /v1/agent/thread/{sessionId}/message
      GET /v1/agent/thread/{sessionId}
      DELETE /v1/agent/thread/{sessionId}
      POST /v1/agent/thread/{sessionId}/escalate
      POST /v1/agent/thread/create-and-escalate
      GET /v1/agent/threads
      POST /v1/agent/mcp/search
    `),
  },
  {
    group: 'Billing and the hosted site',
    fate: 'refused',
    sentence: 'parts of the hosted service',
    operations: lines(`
      GET /v1/stripe/subscription/cost-for-prompts
      GET /v1/stripe/subscription/cost-for-evals
      GET /v1/stripe/subscription/cost-for-experiments
      GET /v1/stripe/subscription/free/usage
      POST /v1/stripe/cloud/checkout-session
      POST /v1/stripe/subscription/new-customer/upgrade-to-pro
      POST /v1/stripe/subscription/existing-customer/upgrade-to-pro
      POST /v1/stripe/subscription/new-customer/upgrade-to-team-bundle
      POST /v1/stripe/subscription/existing-customer/upgrade-to-team-bundle
      POST /v1/stripe/subscription/manage-subscription
      POST /v1/stripe/subscription/undo-cancel-subscription
      POST /v1/stripe/subscription/add-ons/{productType}
      DELETE /v1/stripe/subscription/add-ons/{productType}
      GET /v1/stripe/subscription/preview-invoice
      POST /v1/stripe/subscription/cancel-subscription
      POST /v1/stripe/subscription/migrate-to-pro
      GET /v1/stripe/payment-intents/search
      GET /v1/stripe/subscription
      GET /v1/stripe/auto-topoff/settings
      POST /v1/stripe/auto-topoff/settings
      DELETE /v1/stripe/auto-topoff/settings
      GET /v1/stripe/payment-methods
      POST /v1/stripe/payment-methods/setup-session
      DELETE /v1/stripe/payment-methods/{paymentMethodId}
      GET /v1/stripe/subscription/usage-stats
      GET /v1/wrapped/2025
      GET /v1/wrapped/2025/check
      POST /v1/public/waitlist/feature
      GET /v1/public/waitlist/feature/status
      GET /v1/public/waitlist/feature/count
      POST /v1/public/waitlist/feature/share
      GET /v1/public/stats/model-usage
      GET /v1/public/stats/market-share
      GET /v1/public/stats/provider-usage
      GET /v1/public/stats/authors/{author}
      GET /v1/public/stats/providers/{provider}
      GET /v1/public/stats/models/{model}
      GET /v1/public/status/provider
      GET /v1/public/status/provider/{provider}
      POST /v1/public/pi/get-api-key
      POST /v1/public/compare/models
      POST /v1/public/security
      GET /v1/public/alert-banner
      PATCH /v1/public/alert-banner
      POST /v1/test/gateway-request
      POST /v1/providers
      GET /v1/credits/balance
      GET /v1/credits/payments
      GET /v1/credits/totalSpend
      GET /v1/credits/spend/breakdown
      GET /v1/credits/invoices
      GET /v1/credits/discounts
    `),
  },
];
