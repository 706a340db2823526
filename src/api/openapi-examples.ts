import { namedMetrics } from '../query/metrics/by-name.ts';

const filter = { request_response_rmt: { properties: { Environment: { equals: 'production' } } } };
const page = { filter, sort: { created_at: 'desc' }, limit: 100 };
const sessionNames = { nameContains: 'support', pSize: 'p95', filter: {} };
const requestId = '0193b3a4-0000-7000-8000-000000000001';

const exportedSpans = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'checkout' } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
              spanId: '00f067aa0ba902b7',
              name: 'chat gpt-4.1-mini',
              startTimeUnixNano: '1769860800000000000',
              endTimeUnixNano: '1769860801500000000',
              attributes: [
                { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
                { key: 'gen_ai.provider.name', value: { stringValue: 'openai' } },
                { key: 'gen_ai.request.model', value: { stringValue: 'gpt-4.1-mini' } },
                { key: 'gen_ai.usage.input_tokens', value: { intValue: '12' } },
                { key: 'gen_ai.usage.output_tokens', value: { intValue: '3' } },
              ],
            },
          ],
        },
      ],
    },
  ],
};

const alert = {
  name: 'Spend of a tenant',
  metric: 'cost',
  threshold: 20,
  time_window: 3_600_000,
  grouping: [{ property: 'Tenant' }],
  channels: [{ type: 'email', to: 'ops@example.com' }],
};

const view = { name: 'Failed checkouts', page: 'requests', search: { q: 'status:>=500 properties.Team:checkout', range: '24h' } };

const board = {
  name: 'Spend',
  time_range: { last: '30d' },
  panels: [
    { title: 'Cost by model', chart: 'line', metrics: ['cost'], by: ['model'], bucket: 'day', width: 2 },
    {
      title: 'Dearest teams',
      chart: 'table',
      metrics: ['cost', 'count'],
      by: [{ property: 'Team' }],
      filter,
      sort: { cost: 'desc' },
      limit: 10,
    },
  ],
};

const messages = [{ role: 'user', content: 'Where are whales?' }];
const loggedChat = {
  providerRequest: {
    url: 'https://api.openai.com/v1/chat/completions',
    json: { model: 'gpt-4.1-mini', messages },
    meta: { 'Svc-User-Id': 'ann', 'Svc-Property-Environment': 'production' },
  },
  providerResponse: {
    json: {
      model: 'gpt-4.1-mini',
      choices: [{ index: 0, message: { role: 'assistant', content: 'In the sea.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 },
    },
    status: 200,
    headers: {},
  },
  timing: {
    startTime: { seconds: 1_767_225_600, milliseconds: 0 },
    endTime: { seconds: 1_767_225_601, milliseconds: 500 },
    timeToFirstToken: 300,
  },
};

/** A valid body by the `operationId` of its endpoint; a test parses each with the endpoint's schema. */
export const bodyExamples: Readonly<Record<string, unknown>> = {
  queryRequests: page,
  legacyQueryRequests: page,
  countRequests: { filter },
  queryRequestsById: { requestIds: [requestId] },
  updateRequestProperties: { Environment: 'production' },
  bulkUpdateRequestProperties: { filter, set: { Team: 'search' }, remove: ['Draft'], dryRun: true },
  setRequestScores: { scores: { accuracy: 0.75, helpful: true } },
  giveRequestFeedback: { rating: true },
  importRequests: `${JSON.stringify({
    request_id: requestId,
    request_created_at: '2026-01-31T12:00:00.000Z',
    provider: 'OPENAI',
    model: 'gpt-4.1-mini',
    response_status: 200,
    prompt_tokens: 12,
    completion_tokens: 3,
    cost: 0.0000096,
    properties: { Environment: 'production' },
  })}\n`,
  logCall: loggedChat,
  logCallOfLoggers: loggedChat,
  logTypedCall: loggedChat,
  logCustomCall: {
    providerRequest: { url: 'custom-model-nopath', json: { _type: 'tool', toolName: 'clock', input: { zone: 'UTC' } }, meta: {} },
    providerResponse: { json: { time: '12:00' }, status: 200, headers: {} },
    timing: { startTime: { seconds: 1_767_225_600, milliseconds: 0 }, endTime: { seconds: 1_767_225_600, milliseconds: 40 } },
  },
  logOpenAiCall: loggedChat,
  logAnthropicCall: {
    ...loggedChat,
    providerRequest: { ...loggedChat.providerRequest, json: { model: 'claude-sonnet-4-5', max_tokens: 100, messages } },
    providerResponse: {
      json: {
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5-20250929',
        content: [{ type: 'text', text: 'In the sea.' }],
        usage: { input_tokens: 12, output_tokens: 4 },
      },
      status: 200,
      headers: {},
    },
  },
  logGoogleCall: {
    ...loggedChat,
    providerRequest: {
      ...loggedChat.providerRequest,
      json: { model: 'gemini-2.5-flash', contents: [{ role: 'user', parts: [{ text: 'Where are whales?' }] }] },
    },
    providerResponse: {
      json: {
        candidates: [{ content: { role: 'model', parts: [{ text: 'In the sea.' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 4, totalTokenCount: 8 },
      },
      status: 200,
      headers: {},
    },
  },
  takeSpans: exportedSpans,
  takeAsyncSpans: exportedSpans,
  takePythonSpans: exportedSpans,
  takeLogRecords: {
    resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano: '1769860800000000000', body: { stringValue: 'started' } }] }] }],
  },
  takeMetrics: {
    resourceMetrics: [
      {
        scopeMetrics: [{ metrics: [{ name: 'jobs', gauge: { dataPoints: [{ timeUnixNano: '1769860800000000000', asInt: '3' }] } }] }],
      },
    ],
  },
  exportRequests: {
    filter,
    startDate: '2026-01-01',
    endDate: '2026-02-01',
    format: 'csv',
    columns: ['request_created_at', 'model', 'cost', 'properties.Team'],
  },
  addEval: { name: 'accuracy', score: 0.75 },
  replaceRateLimits: [{ policy: '5000;w=86400;u=cents' }, { policy: '500;w=3600;u=cents;s=Team' }],
  replaceRedactionRules: [{ kind: 'email' }, { kind: 'regex', pattern: 'EMP-[0-9]{6}', replacement: '[employee]' }],
  listProperties: {},
  hideProperty: { key: 'Environment' },
  restoreProperty: { key: 'Environment' },
  listHiddenProperties: {},
  listTopPropertyCosts: { timeFilter: { start: '2026-01-01', end: '2026-02-01' } },
  listTopPropertyRequests: { timeFilter: { start: '2026-01-01', end: '2026-02-01' } },
  queryPropertyOverTime: { propertyKey: 'Environment', dbIncrement: 'day' },
  ...Object.fromEntries(
    namedMetrics.map(({ name }) => [
      `queryMetric${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
      { filter, timeFilter: { start: '2026-01-01', end: '2026-02-01' } },
    ]),
  ),
  searchPropertyValues: { searchTerm: 'prod' },
  declareProperty: { hidden: true },
  queryUsers: { userIds: ['user-42'] },
  queryUserMetrics: { filter, sort: { cost: 'desc' }, limit: 50 },
  queryUserOverview: { filter, pSize: 'p95' },
  addApiKey: { api_key_name: 'checkout', key_permissions: 'rw' },
  changeApiKey: { api_key_name: 'checkout, second' },
  addProviderKey: { provider: 'openai', key: 'sk-of-the-provider', name: 'production' },
  replacePrices: [{ model: 'llama-at-home', input: 0.2, output: 0.6 }],
  applyPrices: { filter: { request_response_rmt: { model: { contains: 'gpt-4.1' } } }, startDate: '2026-01-01', dryRun: true },
  setRetention: { days: 90 },
  createWebhook: {
    destination: 'https://hooks.example.com/gatelog',
    name: 'production errors',
    config: { filter: { request_response_rmt: { status: { gte: 500 } } }, sampleRate: 100, events: ['request.completed'] },
  },
  applyRules: {
    webhooks: [{ name: 'ops', destination: 'https://hooks.example.com/gatelog' }],
    alerts: [
      { name: 'Errors', metric: 'response.status', threshold: 5, time_window: 600_000, channels: [{ type: 'webhook', webhook: 'ops' }] },
    ],
    dryRun: true,
  },
  replaceWebhook: { destination: 'https://hooks.example.com/gatelog', enabled: true },
  recoverDeliveries: { since: '2026-01-31T12:00:00Z' },
  addAlert: alert,
  replaceAlert: { ...alert, mute_until: '2026-02-01T08:00:00Z' },
  addView: view,
  replaceView: { ...view, name: 'Failed checkouts of the day' },
  addBoard: board,
  replaceBoard: { ...board, version: 1 },
  previewAlert: { rule: alert, timeFilter: { startTimeUnixMs: 1_767_225_600_000, endTimeUnixMs: 1_767_312_000_000 } },
  queryMetrics: {
    metrics: ['cost', 'count'],
    groupBy: ['model', { property: 'Team' }],
    interval: 'day',
    timezone: 'Europe/Berlin',
    filter,
    limit: 10,
    other: true,
    totals: true,
  },
  querySessions: { filter, search: 'refund', limit: 50 },
  countSessions: { filter, search: 'refund' },
  querySessionNames: sessionNames,
  querySessionMetrics: sessionNames,
  setSessionTag: { tag: 'resolved' },
  giveSessionFeedback: { rating: false },
  updateSessionProperties: { Environment: 'production' },
};
