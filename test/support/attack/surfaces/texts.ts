import { lanes, post, type Surface } from '../surface.ts';

const mebibyte = 1024 * 1024;

/** What the beginning of a request or of its answer may be. */
export const texts: Surface = {
  name: 'texts',
  words:
    'calls whose texts are a line of 10 MB, JSON of 5,000 levels, parts by the ten thousand, half characters, turned directions and marks upon marks; meanwhile lists that show their beginnings, and searches in them',
  attack: async (target) => {
    const bodies = hostileBodies();
    await lanes(target, 14, (turn, lane) => {
      if (lane < 4) {
        const body = bodies[(turn * 4 + lane) % bodies.length] ?? '';
        return target.send({ method: 'POST', url: `${target.gateway}/v1/chat/completions`, body });
      }
      return post(target, `${target.api}/v1/request/query-clickhouse`, {
        filter: lane % 3 === 0 ? { request_response_rmt: { request_body: { contains: 'needle'.repeat(turn % 50) } } } : {},
        sort: { created_at: 'desc' },
        limit: 100,
        includeBodies: lane % 2 === 0,
      });
    });
  },
};

function said(content: string): string {
  return `{"model":"echo/attack","messages":[{"role":"user","content":${content}}]}`;
}

function parts(part: string, count: number): string {
  return `[${Array.from({ length: count }, () => part).join(',')}]`;
}

function hostileBodies(): readonly string[] {
  const levels = 5000;
  return [
    said(`"${'x'.repeat(10 * mebibyte)}"`),
    said(`"${' \\n'.repeat(3 * mebibyte)}"`),
    said(`${'['.repeat(levels)}"deep"${']'.repeat(levels)}`),
    said(`"${JSON.stringify('{"a":'.repeat(100_000)).slice(1, -1)}"`),
    said(parts('{"type":"text","text":"\\ud800"}', 50_000)),
    said(parts('{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}', 50_000)),
    said(`"${'\\ud800'.repeat(mebibyte)}"`),
    said(`"${'\\u202e\\u2066'.repeat(mebibyte / 2)}"`),
    said(`"${'Z\u0351\u0356\u0353'.repeat(mebibyte)}"`),
    said(`"${'\\u0000'.repeat(mebibyte)}"`),
    `{"model":"echo/attack","messages":${parts('{"role":"user","content":""}', 200_000)}}`,
  ];
}
