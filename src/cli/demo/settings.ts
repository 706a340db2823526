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
  await gatelog.limits.replace([{ policy: '5000;w=86400;u=cents' }, { policy: '500;w=86400;u=cents;s=Team' }]);
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
      { title: 'Dearest sessions', chart: 'table', metrics: ['cost', 'count'], by: ['session'], limit: 8 },
      { title: 'Latency by model, p95', chart: 'line', metrics: ['p95_latency'], by: ['model'], width: 3 },
    ],
  });
  await gatelog.views.add({ name: 'Failures of support', page: 'requests', search: { q: 'Team:support status:>=400', range: '7d' } });
}

/** A few calls through the gateway, some of them answered from the cache. */
export async function callGateway(gateway: string, apiKey: string): Promise<void> {
  for (let call = 0; call < 12; call += 1) {
    const response = await fetch(`${gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'svc-properties': '{"Team": "support", "App": "playground"}',
        'svc-user-id': 'ada@example.com',
        'svc-cache-enabled': 'true',
      },
      body: JSON.stringify({ model: 'echo/demo', messages: [{ role: 'user', content: `How many lamps of type ${call % 4} are left?` }] }),
    });
    await response.arrayBuffer();
  }
}
