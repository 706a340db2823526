import type { ImportRecord } from '../../client/nouns/imports.ts';
import { agentSession } from './agents.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';
import { recordOf } from './record.ts';
import { reportSections, searchQueries, supportSystem, supportTalks } from './texts.ts';

export interface DemoOptions {
  /** Requests, about. */
  readonly requests: number;
  readonly seed: number;
  /** The end of the weeks, Unix milliseconds. */
  readonly now: number;
}

const hour = 3_600_000;
const day = 24 * hour;
/** Two weeks, so that the second has one to be compared with. */
const days = 14;

const customers = ['ada', 'bo', 'carla', 'dmitri', 'eve', 'farid', 'grace', 'hiro', 'ines', 'jonas', 'kim', 'lena'].map(
  (name) => `${name}@example.com`,
) as [string, ...string[]];
const countries = ['DE', 'DE', 'DE', 'US', 'US', 'FR', 'GB', 'NL', 'JP', 'BR', 'IN', 'SE', 'NO', 'PL'] as const;

/** Two weeks of four apps: the same options give the same records. The oldest come first. */
export function demoRecords({ requests, seed, now }: DemoOptions): readonly ImportRecord[] {
  const random = seededRandom(seed);
  const records: ImportRecord[] = [];
  const perDay = requests / days;
  for (let index = 0; index < days; index += 1) {
    const start = now - (days - index) * day;
    const isWeekend = [0, 6].includes(new Date(start + day / 2).getUTCDay());
    const share = (isWeekend ? 0.35 : 1.25) * perDay;
    const makers = [
      { of: supportTicket, share: share * 0.42, isOffice: true },
      { of: search, share: share * 0.34, isOffice: false },
      { of: agent, share: share * 0.2, isOffice: true },
      { of: report, share: 8, isOffice: false },
    ];
    for (const { of, share: wanted, isOffice } of makers) {
      for (let made = 0; made < wanted;) {
        const group = of(random, { at: momentOf(random, start, isOffice), now, day: index });
        made += group.length;
        records.push(...group);
      }
    }
  }
  records.push(...agentSession(random, { at: now - 5 * hour, turns: 64, user: 'jonas@example.com', isRunaway: true }));
  return records
    .filter(({ request_created_at: at }) => Date.parse(at) < now)
    .toSorted((left, right) => left.request_created_at.localeCompare(right.request_created_at));
}

/** A moment of a day; of people at work, most between 7 and 18 o'clock UTC. */
function momentOf(random: SeededRandom, start: number, isOffice: boolean): number {
  const at = start + random.next() * day;
  const clock = new Date(at).getUTCHours();
  const isBusy = clock >= 7 && clock < 18;
  return !isOffice || isBusy || random.chance(0.12) ? at : momentOf(random, start, isOffice);
}

interface Moment {
  /** Unix milliseconds. */
  readonly at: number;
  readonly now: number;
  /** Of the weeks, from 0. */
  readonly day: number;
}

/** In this half an hour a deployment of the support app went wrong. */
function isDeployment(at: number, now: number): boolean {
  const since = at - (now - 3 * day);
  return since >= 0 && since < hour / 2;
}

type Talk = (typeof supportTalks)[number];

function supportTicket(random: SeededRandom, { at, now }: Moment): readonly ImportRecord[] {
  const talk: readonly (readonly [question: string, answer: string])[] = random.pick<Talk>(supportTalks);
  const user = random.pick(customers);
  const ticket = `ticket-${random.between(10_000, 99_999)}`;
  const model = random.chance(0.6) ? 'gpt-4.1-mini' : 'claude-sonnet-4-5';
  const messages: { readonly role: string; readonly content: string }[] = [{ role: 'system', content: supportSystem }];
  return talk.map(([question, answer], turn) => {
    messages.push({ role: 'user', content: question });
    const record = recordOf(random, {
      at: at + turn * random.between(30_000, 120_000),
      model,
      messages: [...messages],
      answer,
      user,
      country: random.pick(countries),
      session: { id: ticket, name: 'Support ticket', path: '/chat' },
      properties: {
        App: 'support-assistant',
        Team: 'support',
        Environment: random.chance(0.9) ? 'production' : 'staging',
        Feature: 'chat',
      },
      failure: isDeployment(at, now) && random.chance(0.7) ? 500 : random.chance(0.015) ? random.pick([429, 500, 400]) : undefined,
    });
    messages.push({ role: 'assistant', content: answer });
    return record;
  });
}

/** Short calls; two days ago somebody gave them a larger model, and the team's cost has jumped since. */
function search(random: SeededRandom, { at, now }: Moment): readonly ImportRecord[] {
  const isDear = at > now - 2 * day && random.chance(0.5);
  const query = random.pick(searchQueries);
  const hits = Array.from({ length: isDear ? 60 : 12 }, (_, index) => `${index + 1}. ${random.pick(searchQueries)}, in stock`).join('\n');
  const model = isDear ? 'gpt-4.1' : random.chance(0.04) ? 'acme-rerank-7b' : 'gpt-4.1-nano';
  const record = recordOf(random, {
    at,
    model,
    messages: [
      { role: 'system', content: 'Order these products by how well they answer the query. Answer with their numbers.' },
      { role: 'user', content: `Query: ${query}\n\n${hits}` },
    ],
    answer: '3, 1, 7, 2',
    user: random.pick(customers),
    country: random.pick(countries),
    properties: {
      App: 'search',
      Team: 'search',
      Environment: 'production',
      Feature: random.chance(0.7) ? 'product-search' : 'suggestions',
    },
    failure: random.chance(0.01) ? 429 : undefined,
    promptFactor: isDear ? 6 : 1,
  });
  return [record];
}

function agent(random: SeededRandom, { at }: Moment): readonly ImportRecord[] {
  return agentSession(random, {
    at,
    turns: random.between(8, 24),
    user: random.pick(['mia@example.com', 'noah@example.com', 'olga@example.com', 'jonas@example.com']),
    isRunaway: false,
  });
}

/** At night, one long text for each section. */
function report(random: SeededRandom, { at, day: index }: Moment): readonly ImportRecord[] {
  const night = Math.floor(at / day) * day + 2 * hour;
  return reportSections.map((section, place) =>
    recordOf(random, {
      at: night + place * 90_000 + random.between(0, 20_000),
      model: 'gemini-2.5-pro',
      messages: [{ role: 'user', content: `Write the section "${section}" of the daily report from these figures.` }],
      answer: `${section}: eleven per cent above the day before, mostly from lamps. Nothing needs a decision today.`,
      user: 'reports@example.com',
      country: 'DE',
      session: { id: `report-${index}`, name: 'Daily report', path: `/sections/${place + 1}` },
      properties: { App: 'report-writer', Team: 'finance', Environment: 'production', Feature: 'daily-report' },
      failure: undefined,
      promptFactor: 20,
    }),
  );
}
