/** The versions of each prompt beside one another, as Explore asks for them. */
export const promptVersions = {
  q: '-prompt:""',
  by: ['prompt', 'prompt_version'],
  metrics: ['avg_cost', 'count', 'cost', 'error_rate', 'p50_latency', 'prompt_tokens', 'completion_tokens'],
  chart: 'table',
  range: '30d',
} as const;
