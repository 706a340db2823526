import { randomUUID } from 'node:crypto';
import { lanes, post, type Surface, type Target } from '../surface.ts';

/** Positions in lists that were never given, or for something else. */
export const cursors: Surface = {
  name: 'cursors',
  words:
    'forty connections that go on behind positions that were never given: of other queries, of other records, with values of 3 KB, with ten thousand levels, of 16 KB; and deep offsets',
  attack: async (target) => {
    const own = [await given(target, requests, requestsQuery), await given(target, sessions, sessionsQuery)];
    await lanes(target, 40, (turn, lane) => {
      const isOfRequests = lane % 2 === 0;
      const [path, query] = isOfRequests ? [requests, requestsQuery] : [sessions, sessionsQuery];
      const cursor = forged(own[turn % 2 === 0 ? lane % 2 : 1 - (lane % 2)] ?? '', turn);
      if (lane % 5 === 4) return post(target, target.api + path, { ...query, offset: 1_000_000 - turn });
      if (lane % 5 === 3) return target.send({ url: `${target.api}/v1/session/session-long?cursor=${cursor}&limit=1000` });
      return post(target, target.api + path, { ...query, cursor });
    });
  },
};

const requests = '/v1/request/query-clickhouse';
const sessions = '/v1/session/query';
const requestsQuery = { filter: {}, sort: { user_id: 'asc', latency: 'desc' }, limit: 100 };
const sessionsQuery = { sort: { total_cost: 'desc' }, limit: 100 };

/** The cursor of a first page. */
async function given(target: Target, path: string, query: object): Promise<string> {
  const response = await fetch(target.api + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(query),
  });
  await response.arrayBuffer();
  return response.headers.get('svc-next-cursor') ?? '';
}

function written(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function forged(cursor: string, turn: number): string {
  const known = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8') || '{}') as object;
  const number = BigInt(`0x${randomUUID().replaceAll('-', '')}`).toString();
  const kinds = [
    () => cursor,
    () => written({ ...known, i: number }),
    () => written({ ...known, a: '-9223372036854775808', i: '340282366920938463463374607431768211455' }),
    () => written({ ...known, s: ['*', '*'] }),
    () => written({ ...known, s: [`=${"' OR 1=1 --".repeat(250)}`, '=1e308'] }),
    () => Buffer.from(`{"v":1,"q":${'['.repeat(5000)}${']'.repeat(5000)}}`).toString('base64url'),
    () => 'A'.repeat(16 * 1024),
  ] as const;
  return (kinds[turn % kinds.length] ?? kinds[0])();
}

const ownLimits = 32;
const callers = 24;

/** As many limits as there may be, and how full they are. */
export const limits: Surface = {
  name: 'limits',
  words: `${ownLimits} limits and ${ownLimits} rules that limit, each of another window or by another property; ${callers} connections that ask how full they are and replace them, and calls of a hundred thousand segments`,
  attack: async (target) => {
    const list = Array.from({ length: ownLimits }, (_, number) => ({
      policy: `1000000;w=${3600 + number}${number % 2 === 0 ? ';u=cents' : ''};s=${number % 3 === 0 ? 'user' : `P${number}`}`,
    }));
    await target.send({ method: 'PUT', url: `${target.api}/v1/rate-limits`, body: JSON.stringify(list) });
    const ids = await addRules(target, ownLimits, (number) => ({
      name: `limit ${number}`,
      metric: number % 2 === 0 ? 'cost' : 'count',
      threshold: 1_000_000,
      time_window: 3_600_000 + number * 60_000,
      grouping: [{ property: `P${number % 8}` }],
      enforce: true,
    }));
    let segment = 0;
    await lanes(target, callers, (_turn, lane) => {
      if (lane === 0) return target.send({ method: 'PUT', url: `${target.api}/v1/rate-limits`, body: JSON.stringify(list) });
      if (lane < 12) return target.send({ url: `${target.api}/v1/rate-limits/usage` });
      segment += 1;
      const values = Object.fromEntries(Array.from({ length: ownLimits }, (_, number) => [`P${number}`, `${segment}`]));
      return post(
        target,
        `${target.gateway}/v1/chat/completions`,
        { model: 'echo/attack', messages: [{ role: 'user', content: 'Hello' }] },
        { headers: { 'svc-properties': JSON.stringify(values), 'svc-user-id': `user ${segment}` } },
      );
    });
    await target.send({ method: 'PUT', url: `${target.api}/v1/rate-limits`, body: '[]', isClearing: true });
    await removeAll(target, '/v1/alerts', ids);
  },
};

/** Names that turn the direction of a line, look like markup, or are as long as a request may be. */
const names: readonly ((number: number) => string)[] = [
  (number) => `<img src=x onerror=alert(${number})>`,
  (number) => `\u202e${number} live\u2066`,
  (number) => `${number} "; DROP TABLE requests; -- \${jndi:ldap://x} {{7*7}}`,
  (number) => `${number} ${'\u{1f469}\u200d\u{1f467}'.repeat(40)}`,
  (number) => `${number} ${'Z\u0351\u0356\u0353'.repeat(30)}`,
  (number) => `\u001b]52;c;${number}\u0007`,
  (number) => `${number} ${'n'.repeat(1_000_000)}`,
  (number) => `${number} \ud800`,
];

const saved = 2000;

/** What people save, as much as there may be of it. */
export const savedThings: Surface = {
  name: 'saved',
  words: `${saved} alert rules, 200 boards of forty panels and 200 views, with names of markup, control characters, turned directions, a megabyte and half characters; and lists of them`,
  attack: async (target) => {
    const panels = Array.from({ length: 40 }, (_, number) => ({
      title: nameOf(number),
      chart: 'table',
      metrics: ['cost', 'count', 'p95_latency'],
      by: ['user', 'model'],
      limit: 1000,
    })).map((panel) => ({ ...panel, title: panel.title.replaceAll(/\p{Cc}|\p{Cs}/gu, '?').slice(0, 100) }));
    const rules: string[] = [];
    const [boards, views] = [new Set<string>(), new Set<string>()];
    let made = 0;
    await lanes(target, 20, async (turn, lane) => {
      made += 1;
      if (lane < 8 && rules.length < saved) {
        keepId(rules, await post(target, `${target.api}/v1/alerts`, ruleNamed(nameOf(made)), { keep: 65_536 }));
      } else if (lane === 8) {
        const { text } = await post(target, `${target.api}/v1/boards`, { name: nameOf(made), time_range: { last: '30d' }, panels });
        addId(boards, text);
      } else if (lane === 9) {
        const { text } = await post(target, `${target.api}/v1/views`, {
          name: nameOf(made),
          page: 'requests',
          search: { q: nameOf(made).slice(0, 4000) },
        });
        addId(views, text);
      } else {
        const lists = ['/v1/alerts?limit=1000', '/v1/boards', '/v1/views', '/v1/incidents?limit=1000', '/v1/webhooks'];
        await target.send({ url: target.api + (lists[(turn + lane) % lists.length] ?? '') });
      }
    });
    await removeAll(target, '/v1/alerts', rules);
    await removeAll(target, '/v1/boards', [...boards]);
    await removeAll(target, '/v1/views', [...views]);
  },
};

function nameOf(number: number): string {
  return (names[number % names.length] ?? names[0] ?? String)(number);
}

function ruleNamed(name: string): object {
  return { name, metric: 'count', threshold: 1_000_000, time_window: 60_000, grouping: [{ property: 'Team' }, 'model'], no_data: 'ok' };
}

function idIn(text: string): string | undefined {
  return /"id":"([\w-]+)"/.exec(text)?.[1];
}

function addId(ids: Set<string>, text: string): void {
  const id = idIn(text);
  if (id !== undefined) ids.add(id);
}

function keepId(ids: string[], { text }: { readonly text: string }): void {
  const id = idIn(text);
  if (id !== undefined) ids.push(id);
}

async function addRules(target: Target, count: number, rule: (number: number) => object): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count && !target.signal.aborted; number += 1) {
    keepId(ids, await post(target, `${target.api}/v1/alerts`, rule(number), { keep: 65_536 }));
  }
  return ids;
}

async function removeAll(target: Target, path: string, ids: readonly string[]): Promise<void> {
  const left = ids.values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const id of left) await target.send({ method: 'DELETE', url: `${target.api}${path}/${id}`, isClearing: true });
    }),
  );
}
