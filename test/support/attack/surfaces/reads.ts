import { dearFilters, lanes, leaf, post, type Surface } from '../surface.ts';

const protocol = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };

const toolCalls: readonly { readonly name: string; readonly arguments: object }[] = [
  {
    name: 'query_requests',
    arguments: { filter: leaf('request_body', { ilike: '%no-such-text%' }), limit: 100, text: 2000, count: true, from: '2026-01-01' },
  },
  { name: 'query_requests', arguments: { filter: dearFilters[1], sort: { latency: 'desc' }, limit: 100, from: '2026-01-01' } },
  {
    name: 'query_metrics',
    arguments: { metrics: ['count', 'cost', 'users'], groupBy: ['user', 'session', { property: 'Team' }], from: '2026-01-01' },
  },
  { name: 'query_sessions', arguments: { filter: leaf('response_body', { ilike: '%no-such-text%' }), limit: 100, from: '2026-01-01' } },
  { name: 'describe', arguments: { from: '2026-01-01' } },
];

export const mcp: Surface = {
  name: 'mcp',
  words: 'thirty models at once that ask for texts in bodies, sort by latency, group by users and sessions, and list sessions',
  attack: (target) =>
    lanes(target, 30, (turn, lane) => {
      const params = toolCalls[(turn + lane) % toolCalls.length];
      return post(target, `${target.api}/mcp`, { jsonrpc: '2.0', id: turn, method: 'tools/call', params }, { headers: protocol });
    }),
};

export const exports: Surface = {
  name: 'exports',
  words: 'twenty exports at once with bodies in each format and compression, half of them read slowly, and filters over texts of bodies',
  attack: (target) =>
    lanes(target, 20, (turn, lane) => {
      const body = {
        filter: lane % 4 === 3 ? dearFilters[1] : 'all',
        format: ['jsonl', 'csv', 'parquet'][(turn + lane) % 3],
        compression: ['none', 'gzip', 'zstd'][turn % 3],
        includeBodies: true,
      };
      return post(target, `${target.api}/v1/export`, body, lane % 2 === 0 ? { readEveryMs: 500 } : {});
    }),
};
