import { slowCalls } from '../../slow-bodies.ts';
import { lanes, type Surface } from '../surface.ts';

export const bodies: Surface = {
  name: 'bodies',
  words: 'bodies of 16 MiB with the cache on: of very many members, in any order, of one name, with escapes; and budgets over them',
  attack: async (target) => {
    const chosen = slowCalls
      .filter(({ what, times }) => times === undefined && /^(?:cache|budget)/.test(what))
      .map((call) => ({
        headers: call.headers,
        body: call.body(),
      }));
    await lanes(target, 3, (turn, lane) => {
      const call = chosen[(turn + lane * 2) % chosen.length];
      return target.send({
        method: 'POST',
        url: `${target.gateway}/v1/chat/completions`,
        body: call?.body ?? '',
        headers: { ...call?.headers },
      });
    });
  },
};
