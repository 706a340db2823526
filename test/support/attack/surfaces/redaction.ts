import { echoCall, lanes, type Surface } from '../surface.ts';

const rules = [
  { kind: 'email' },
  { kind: 'card' },
  ...Array.from({ length: 20 }, (_, number) => ({
    kind: 'regex',
    pattern: `a.*b${number}|a`,
    applies_to: ['request', 'response', 'properties', 'identifiers'],
  })),
];

export const redaction: Surface = {
  name: 'redaction',
  words: 'twenty rules whose every match is one letter and needs the end of the text, over texts of 3 KB to 1 MB and 60 properties of 8 KB',
  attack: async (target) => {
    const set = (list: readonly object[], isClearing: boolean) =>
      target.send({ method: 'PUT', url: `${target.api}/v1/redaction-rules`, body: JSON.stringify(list), isClearing });
    await set(rules, false);
    const properties = JSON.stringify(Object.fromEntries(Array.from({ length: 60 }, (_, number) => [`P${number}`, 'a'.repeat(8000)])));
    await lanes(target, 8, async (turn, lane) => {
      if (lane < 6) await echoCall(target, 'a'.repeat(3000));
      else if (lane === 6) await echoCall(target, 'a'.repeat(1_000_000));
      else await echoCall(target, `a${turn}`, { 'svc-properties': properties });
    });
    await set([], true);
  },
};
