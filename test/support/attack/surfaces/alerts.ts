import { balanced, lanes, leaf, post, type Surface, type Target } from '../surface.ts';
import { sentTo, spanBody } from './spans.ts';

const groupedRules = 120;
const dearRules = 80;
const users = 20_000;
const previewsAtOnce = 25;

export const alerts: Surface = {
  name: 'alerts',
  words: `${groupedRules} rules grouped by user with ${users} made-up users, ${dearRules} rules over texts of bodies, and ${previewsAtOnce} previews at once`,
  attack: async (target) => {
    const adding = addRules(target);
    let told = 0;
    const sending = lanes(target, 1, async () => {
      const from = told;
      told += 4000;
      const attributes = (index: number): object => ({
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'm',
        'user.id': `user-${(from + index) % users}-${'u'.repeat(60)}`,
      });
      await target.send(sentTo(target, { body: spanBody(4000, (index) => ({ attributes: { ...attributes(index) } })) }));
    });
    const day = 86_400_000;
    const previewing = lanes(target, previewsAtOnce, (turn) =>
      post(target, `${target.api}/v1/alerts/preview`, {
        rule: turn % 2 === 0 ? groupedRule(turn) : dearRule(turn),
        startTimeUnixMs: Date.now() - 30 * day,
        endTimeUnixMs: Date.now(),
      }),
    );
    await Promise.all([adding, sending, previewing]);
    for (const id of await adding) await target.send({ method: 'DELETE', url: `${target.api}/v1/alerts/${id}`, isClearing: true });
  },
};

function groupedRule(number: number): object {
  return { name: `grouped ${number}`, metric: 'count', threshold: 1, time_window: 3_600_000, grouping: 'user', no_data: 'keep' };
}

function dearRule(number: number): object {
  const filter = balanced(Array.from({ length: 30 }, (_, part) => leaf('request_body', { ilike: `%${number} ${part}_b%` })));
  return { name: `dear ${number}`, metric: 'cost', threshold: 1, time_window: 2_592_000_000, filter };
}

async function addRules(target: Target): Promise<readonly string[]> {
  const rules = [
    ...Array.from({ length: groupedRules }, (_, number) => groupedRule(number)),
    ...Array.from({ length: dearRules }, (_, number) => dearRule(number)),
  ];
  const ids: string[] = [];
  for (const rule of rules) {
    if (target.signal.aborted) break;
    const { text } = await post(target, `${target.api}/v1/alerts`, rule, { keep: 65_536 });
    const id = /"id":"([\w-]+)"/.exec(text)?.[1];
    if (id !== undefined) ids.push(id);
  }
  return ids;
}
