import type { ImportRecord } from '../../client/nouns/imports.ts';
import { agentSession, runawaySession } from './agents.ts';
import { dailyReport } from './reports.ts';
import { refusedSearches, search, withCacheHits } from './search.ts';
import { type SeededRandom, seededRandom } from './base/seeded-random.ts';
import { supportTicket } from './support.ts';

export interface DemoOptions {
  /** Requests, about. */
  readonly requests: number;
  readonly seed: number;
  /** The end of the weeks, Unix milliseconds. */
  readonly now: number;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** Two weeks, so that the second has one to be compared with. */
const days = 14;
/** A run of the runaway with its 64 turns. */
const runawayMs = 25 * minute;
const refusedCalls = 24;

const customers = ['ada', 'bo', 'carla', 'dmitri', 'eve', 'farid', 'grace', 'hiro', 'ines', 'jonas', 'kim', 'lena'].map(
  (name) => `${name}@example.com`,
) as [string, ...string[]];
const developers = ['mia@example.com', 'noah@example.com', 'olga@example.com', 'jonas@example.com'] as const;
const countries = ['DE', 'DE', 'DE', 'US', 'US', 'FR', 'GB', 'NL', 'JP', 'BR', 'IN', 'SE', 'NO', 'PL'] as const;

interface Moment {
  /** Unix milliseconds. */
  readonly at: number;
  readonly now: number;
}

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
      { of: ticketAt, share: share * 0.42, isOffice: true },
      { of: searchAt, share: share * 0.34, isOffice: false },
      { of: agentAt, share: share * 0.2, isOffice: true },
    ];
    for (const { of, share: wanted, isOffice } of makers) {
      for (let made = 0; made < wanted;) {
        const group = of(random, { at: momentOf(random, start, isOffice), now });
        made += group.length;
        records.push(...group);
      }
    }
    records.push(...dailyReport(random, Math.floor((start + day) / day) * day + 2 * hour, index));
  }
  records.push(...runawaySession(random, ofToday(now, 5 * hour, runawayMs)));
  records.push(...refusedSearches(random, ofToday(now, 2 * hour, refusedCalls * 4000), refusedCalls));
  const past = records
    .filter(({ request_created_at: at }) => Date.parse(at) < now)
    .toSorted((left, right) => left.request_created_at.localeCompare(right.request_created_at));
  return withCacheHits(random, past);
}

/** When something begins that shall be over by now and, where the day is old enough, have happened today in UTC. */
function ofToday(now: number, ago: number, takes: number): number {
  return Math.min(Math.max(now - ago, Math.floor(now / day) * day), now - takes);
}

/** A moment of a day; of people at work, most between 7 and 18 o'clock UTC. */
function momentOf(random: SeededRandom, start: number, isOffice: boolean): number {
  const at = start + random.next() * day;
  const clock = new Date(at).getUTCHours();
  const isBusy = clock >= 7 && clock < 18;
  return !isOffice || isBusy || random.chance(0.12) ? at : momentOf(random, start, isOffice);
}

/** Four days ago the support app got a new version of its prompt, and three days ago half an hour of errors. */
function ticketAt(random: SeededRandom, { at, now }: Moment): readonly ImportRecord[] {
  const sinceDeployment = at - (now - 3 * day);
  return supportTicket(random, {
    at,
    user: random.pick(customers),
    country: random.pick(countries),
    promptVersion: at > now - 4 * day ? '4' : '3',
    isBroken: sinceDeployment >= 0 && sinceDeployment < hour / 2,
  });
}

function searchAt(random: SeededRandom, { at, now }: Moment): readonly ImportRecord[] {
  const isDear = at > now - 2 * day && random.chance(0.5);
  return search(random, { at, user: random.pick(customers), country: random.pick(countries), isDear });
}

function agentAt(random: SeededRandom, { at }: Moment): readonly ImportRecord[] {
  return agentSession(random, at, random.pick(developers));
}
