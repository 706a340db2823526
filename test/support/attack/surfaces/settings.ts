import { type Answered, dearFilters, lanes, post, type Surface, type Target } from '../surface.ts';

export const prices: Surface = {
  name: 'prices',
  words: '500 prices replaced again and again, applied to all requests, and the costs of requests explained, over sixteen connections',
  attack: async (target) => {
    const list = JSON.stringify(Array.from({ length: 500 }, (_, number) => ({ model: `model-${number}*`, input: number, output: number })));
    await lanes(target, 16, (turn, lane) => {
      if (lane < 2) return target.send({ method: 'PUT', url: `${target.api}/v1/prices`, body: list });
      if (lane < 4) return post(target, `${target.api}/v1/prices/apply`, { filter: 'all', dryRun: turn % 2 === 0 });
      const id = target.requestIds[(turn + lane) % target.requestIds.length];
      return target.send({ url: `${target.api}/v1/request/${id}/cost` });
    });
    await target.send({ method: 'PUT', url: `${target.api}/v1/prices`, body: '[]', isClearing: true });
  },
};

/** What is stored for people, and what they change. */
export const changes: Surface = {
  name: 'changes',
  words:
    'bulk changes of all requests, sixty properties of 8 KB on each of many requests, scores, sessions, and views and boards as large as they may be',
  attack: async (target) => {
    await lanes(target, 16, (turn, lane) => change(target, turn, lane));
  },
};

const values = Object.fromEntries(Array.from({ length: 60 }, (_, number) => [`C${number}`, 'x'.repeat(8000)]));
const many = Array.from({ length: 20 }, (_, number) => `x${number} ${'y'.repeat(200)}`);

/** One change; each lane makes changes of one kind. */
function change(target: Target, turn: number, lane: number): Promise<Answered> {
  const { api, requestIds } = target;
  const id = requestIds[(turn * 16 + lane) % requestIds.length];
  const put = (path: string, body: object): Promise<Answered> =>
    target.send({ method: 'PUT', url: `${api}${path}`, body: JSON.stringify(body) });
  const bulk = `${api}/v1/request/property`;
  const scores = Object.fromEntries(many.map((name) => [name.slice(0, 30), turn]));
  const view = { name: `${lane} ${turn}`, page: 'requests', search: { q: 'x'.repeat(3000), columns: many } };
  const kinds = [
    () => post(target, bulk, { filter: dearFilters[1], set: values, dryRun: turn % 2 === 0 }),
    () => post(target, bulk, { filter: 'all', set: { Turn: String(turn) }, dryRun: false }),
    () => put(`/v1/request/${id}/property`, { key: `K${turn}`, value: 'x'.repeat(8000) }),
    () => post(target, `${api}/v1/request/${id}/score`, { scores }),
    () => put('/v1/session/session-long/property', { key: `S${turn}`, value: 'x'.repeat(8000) }),
    () => post(target, `${api}/v1/views`, view),
    () => post(target, `${api}/v1/api-keys`, { api_key_name: `key ${lane} ${turn}`, key_permissions: 'r' }),
  ] as const;
  return (kinds[lane % kinds.length] ?? kinds[0])();
}
