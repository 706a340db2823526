import type { ImportRecord } from '../../client/nouns/imports.ts';
import { openAiNode } from './clients.ts';
import type { Caller } from './record.ts';
import { recordOf, recordsOf } from './record.ts';
import type { SeededRandom } from './base/seeded-random.ts';
import { hitsOf, productLine, queries, rankedNumbers, suggestionsOf } from './texts/products.ts';
import { chat } from './wires.ts';

export interface SearchOptions {
  /** Unix milliseconds. */
  readonly at: number;
  readonly user: string;
  readonly country: string;
  /** Two days ago somebody gave half of the searches a larger model and more to read. */
  readonly isDear: boolean;
}

const rankSystem = 'Order these products by how well they answer the query. Answer with the numbers of those that do, best first.';
const suggestSystem =
  'Complete what the customer has begun to type into the search of a shop for lamps and furniture. Three suggestions, one a line.';

/** One short call: products in order, or suggestions while somebody types, which the cache answers when they were asked before. */
export function search(random: SeededRandom, options: SearchOptions): readonly ImportRecord[] {
  return random.chance(0.7) ? rank(random, options) : suggest(random, options);
}

function rank(random: SeededRandom, { at, user, country, isDear }: SearchOptions): readonly ImportRecord[] {
  const query = random.pick(queries);
  const products = hitsOf(random, query, isDear ? 60 : 12);
  const listed = products.map((product, index) => `${index + 1}. ${productLine(product, isDear)}`).join('\n');
  return recordsOf(random, {
    ...callerOf(user, country, 'product-search'),
    at,
    wire: chat,
    model: isDear ? 'gpt-4.1' : random.chance(0.06) ? 'acme-rerank-7b' : 'gpt-4.1-nano',
    prompt: { system: rankSystem, tools: [], turns: [{ role: 'user', text: `Query: ${query}\n\n${listed}` }] },
    answer: { text: rankedNumbers(query, products).join(', ') },
    more: random.chance(0.05) ? { scores: { relevance: random.between(60, 98) / 100 } } : undefined,
  });
}

function suggest(random: SeededRandom, { at, user, country }: SearchOptions): readonly ImportRecord[] {
  const query = random.pick(queries);
  const typed = query.slice(0, random.between(3, 9)).trimEnd();
  return [
    recordOf(random, {
      ...callerOf(user, country, 'suggestions'),
      at,
      wire: chat,
      model: 'gpt-4.1-nano',
      prompt: { system: suggestSystem, tools: [], turns: [{ role: 'user', text: typed }] },
      answer: { text: suggestionsOf(typed).join('\n') },
      more: { cache_enabled: true },
    }),
  ];
}

function callerOf(user: string, country: string, feature: string): Caller {
  return {
    client: openAiNode,
    user,
    country,
    properties: { App: 'search', Team: 'search', Environment: 'production', Feature: feature },
  };
}

const policy = '200;w=3600;s=user';

/** A customer whose script searches again and again, until the limit of calls refuses it. */
export function refusedSearches(random: SeededRandom, at: number, count: number): readonly ImportRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const query = random.pick(queries);
    const listed = hitsOf(random, query, 12).map((product, place) => `${place + 1}. ${productLine(product, false)}`);
    const seconds = count * 4 - index * 4;
    return recordOf(
      random,
      {
        ...callerOf('ines@example.com', 'BR', 'product-search'),
        at: at + index * 4000,
        wire: chat,
        model: 'gpt-4.1-nano',
        prompt: { system: rankSystem, tools: [], turns: [{ role: 'user', text: `Query: ${query}\n\n${listed.join('\n')}` }] },
        answer: { text: '' },
      },
      { kind: 'refused', message: `The quota of calls of the limit "${policy}" is used up. Try again in ${seconds} s.` },
    );
  });
}

/** Of equal calls, which the app lets the cache answer, all after the first are hits. */
export function withCacheHits(random: SeededRandom, records: readonly ImportRecord[]): readonly ImportRecord[] {
  const stored = new Map<string, string>();
  return records.map((record) => {
    if (record.cache_enabled !== true) return record;
    const key = JSON.stringify(record.request_body);
    const reference = stored.get(key);
    if (reference === undefined) stored.set(key, record.request_id);
    return reference === undefined ? record : hitOf(random, record, reference);
  });
}

function hitOf(random: SeededRandom, record: ImportRecord, reference: string): ImportRecord {
  const latency = random.between(1, 4);
  return {
    ...record,
    cached: true,
    cache_reference_id: reference,
    cost: 0,
    cost_source: 'none',
    latency,
    time_to_first_byte: latency,
    time_to_first_token: latency,
  };
}
