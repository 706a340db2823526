import type { createClient } from '../../client/client.ts';

type Client = ReturnType<typeof createClient>;

/** What a team would have set up: rules, limits, keys, a board and a view. Nothing of it sends anything anywhere. */
export async function setUpDemo(gatelog: Client): Promise<void> {
  await gatelog.properties.declare('Team');
  await gatelog.alerts.add({
    name: 'Spend of a team',
    metric: 'cost',
    threshold: 1,
    window: { calendar: 'day', timezone: 'UTC' },
    grouping: [{ property: 'Team' }],
  });
  await gatelog.alerts.add({
    name: 'Failures of support',
    metric: 'response.status',
    threshold: 20,
    time_window: 3_600_000,
    minimum_request_count: 20,
    filter: { request_response_rmt: { properties: { Team: { equals: 'support' } } } },
  });
  await gatelog.limits.replace([
    { policy: '20000;calendar=month;u=cents' },
    { policy: '500;calendar=day;u=cents;s=Team' },
    { policy: '200;w=3600;s=user' },
  ]);
  await gatelog.redaction.replace([{ kind: 'card' }, { kind: 'regex', pattern: 'EMP-[0-9]{6}', replacement: '[employee]' }]);
  await gatelog.retention.set(365);
  await gatelog.prices.replace([{ model: 'acme-internal-*', input: 0.1, output: 0.2 }]);
  for (const [name, permissions] of [
    ['support-assistant in production', 'w'],
    ['code-agent', 'w'],
    ['finance reads', 'r'],
  ] as const) {
    await gatelog.keys.create({ api_key_name: name, key_permissions: permissions });
  }
  await gatelog.webhooks.create({
    name: 'warehouse',
    destination: 'https://example.com/gatelog',
    config: { filter: { request_response_rmt: { status: { gte: 500 } } } },
    enabled: false,
  });
  await gatelog.boards.add({
    name: 'Spend',
    time_range: { last: '7d' },
    panels: [
      { title: 'Cost by team', chart: 'bars', metrics: ['cost'], by: ['properties.Team'], width: 2 },
      { title: 'Most expensive sessions', chart: 'table', metrics: ['cost', 'count'], by: ['session'], limit: 8 },
      { title: 'Latency by model, p95', chart: 'line', metrics: ['p95_latency'], by: ['model'], width: 3 },
    ],
  });
  await gatelog.views.add({ name: 'Failures of support', page: 'requests', search: { q: 'Team:support failed:true', range: '7d' } });
}

/** Calls through the gateway, of which the cache answers most. @returns how many. */
export async function callGateway(gateway: string, apiKey: string): Promise<number> {
  const calls = 6;
  for (let call = 0; call < calls; call += 1) {
    const response = await fetch(`${gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'svc-properties': '{"Team": "support", "App": "playground", "Environment": "development", "Feature": "first-call"}',
        'svc-user-id': 'ada@example.com',
        'svc-cache-enabled': 'true',
      },
      // The model answers with its own message.
      body: JSON.stringify({ model: 'echo/demo', messages: [{ role: 'user', content: `The gateway answers: call ${call % 2} of two.` }] }),
    });
    await response.arrayBuffer();
  }
  return calls;
}
