/**
 * `npm run soak -- prices`: compares the list prices with what the newest agents say of their own cost, and with the newest packages that
 * list prices: Claude Code computes the cost of calls to a provider of ours; pi, OpenCode, Cline and genai-prices have lists. It fetches
 * their newest versions from the registry into a folder of its own (0.6 GB on the disk), removes them afterwards, and sends nothing
 * anywhere. A difference is for a person to judge: lists are wrong and old too. The exit code is 1 when Claude Code computes another cost.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { textTable } from '../../src/config/text-table.ts';
import { usdOf } from '../../src/model/pricing/money.ts';
import { unreportedUsage } from '../../src/model/record/usage.ts';
import { priceUsage } from '../../src/pricing/cost.ts';
import { bookWithoutOperator } from '../../src/pricing/layers/books.ts';
import { noOrganizationPrices } from '../../src/pricing/organization-prices.ts';
import { anthropicMessages } from '../../src/providers/anthropic/messages.ts';
import { type Lister, type ListedRates, listerOfGenAi, listerOfPi, listerOfText } from '../support/prices/listed.ts';
import { startClaudeCode } from '../support/prices/claude-code.ts';
import { type FetchedPackage, fetchNewest } from '../support/prices/packages.ts';

/** Default models of agents, and their makers' newest. */
const models: readonly (readonly [provider: string, model: string])[] = [
  ...[
    'gpt-6.2-sol',
    'gpt-6.2-astra',
    'gpt-6.1-sol',
    'gpt-6.1-terra',
    'gpt-6-sol',
    'gpt-6-luna',
    'gpt-6-astra',
    'gpt-5.6-luna',
    'gpt-5.4-nano',
    'gpt-5-mini',
    'gpt-4o',
  ].map((model) => ['openai', model] as const),
  ...[
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-fable-5-2',
    'claude-opus-5',
    'claude-sonnet-5',
    'claude-haiku-4-5',
    'claude-sonnet-4-6',
  ].map((model) => ['anthropic', model] as const),
  ...['gemini-3.8-flash', 'gemini-3.5-flash-lite', 'gemini-4-argon', 'gemini-4-carbon', 'gemini-4-hydrogen', 'gemini-4-neon'].map(
    (model) => ['google', model] as const,
  ),
  ...[
    'openai.gpt-6.2-sol',
    'global.openai.gpt-6.2-sol',
    'eu.anthropic.claude-haiku-5-5',
    'global.anthropic.claude-sonnet-5-5',
    'us.anthropic.claude-opus-5-5',
  ].map((model) => ['aws', model] as const),
  ['deepseek', 'deepseek-v4-pro'],
  ['zai', 'glm-5.3'],
  ['moonshotai', 'kimi-k2.7-code'],
  ['minimax', 'MiniMax-M3'],
  ['groq', 'openai/gpt-oss-120b'],
  ['cerebras', 'gpt-oss-120b'],
];
const claudeModels = [
  ...models.filter(([provider]) => provider === 'anthropic').map(([, model]) => model),
  'claude-fable-5-1',
  'claude-mythos-5-2',
  'claude-mythos-5-1',
  'claude-mythos-5',
  'claude-opus-4-8',
];

/** Providers whose prices are their own: a catalog that does not tell providers apart says nothing of them. */
const ownPrices = new Set(['aws', 'groq', 'cerebras']);

const at = Date.now();
const kinds = ['input', 'cache_read', 'cache_write', 'output'] as const;
const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-prices-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.once('SIGINT', () => process.exit(130));

const header = ['MODEL', 'OURS', 'THEIRS', 'SOURCE', 'EQUAL'];
const rows: (readonly string[])[] = [];
await compareLists();
await compareClaudeCode();
console.log(textTable([header, ...rows]));
const differing = rows.filter(([, , , , equal]) => equal === 'NO').length;
console.log(`${rows.length} comparisons, ${differing} of them not equal`);

async function compareLists(): Promise<void> {
  const pi = await fetchNewest('@earendil-works/pi-ai', folder);
  const genai = await fetchNewest('@pydantic/genai-prices', folder);
  const openCode = await fetchNewest(`opencode-${process.platform}-${process.arch}`, folder);
  const cline = await fetchNewest('@cline/llms', folder);
  const sources: readonly (readonly [FetchedPackage, Lister])[] = [
    [pi, listerOfPi(pi)],
    [genai, await listerOfGenAi(genai, at)],
    [openCode, listerOfText(openCode)],
    [cline, listerOfText(cline)],
  ];
  for (const [provider, model] of models) {
    for (const [source, list] of sources) {
      const theirs = ownPrices.has(provider) && source !== pi && source !== genai ? undefined : list(provider, model);
      if (theirs !== undefined) {
        addRow(`${provider}/${model}`, ratesText(ourRates(provider, model)), ratesText(theirs, ourRates(provider, model)), source);
      }
    }
  }
}

/** Only kinds that both have: lists leave kinds out. */
function ratesText(rates: ListedRates, other: ListedRates = rates): string {
  return kinds
    .map((kind) => (rates[kind] === undefined || other[kind] === undefined ? (other[kind] ?? rates[kind] ?? '–') : rates[kind]))
    .join(' ');
}

function ourRates(provider: string, model: string): ListedRates {
  const rates = bookWithoutOperator.find(provider, model, at)?.rates;
  return Object.fromEntries(
    kinds.flatMap((kind) => {
      const rate = rates?.get(kind);
      return rate === undefined ? [] : [[kind, usdOf(rate.perMillion)]];
    }),
  );
}

async function compareClaudeCode(): Promise<void> {
  const source = await fetchNewest(`@anthropic-ai/claude-code-${process.platform}-${process.arch}`, folder);
  const claude = await startClaudeCode(path.join(source.folder, 'claude'));
  const short = { input_tokens: 1000, cache_read_input_tokens: 10_000, output_tokens: 100, ...written(300, 100) };
  const calls = { short, long: { ...short, input_tokens: 300_000 }, us: { ...short, inference_geo: 'us' } };
  for (const model of claudeModels) {
    for (const [name, usage] of Object.entries(calls)) {
      // It computes so for every model; Anthropic bills 4.5 and older as anywhere.
      if (name === 'us' && model.includes('-4-5')) continue;
      const theirs = await claude.costOf(model, usage);
      const ours = ourCost(model, usage);
      addRow(
        `${model}, ${name} call`,
        ours === null ? 'no price' : ours.toFixed(9),
        theirs === undefined ? 'no cost' : theirs.toFixed(9),
        source,
      );
      if (rows.at(-1)?.[4] === 'NO') process.exitCode = 1;
    }
  }
  await claude.close();
}

function written(minutes: number, hour: number) {
  return {
    cache_creation_input_tokens: minutes + hour,
    cache_creation: { ephemeral_5m_input_tokens: minutes, ephemeral_1h_input_tokens: hour },
  };
}

function ourCost(model: string, usage: object): number | null {
  const { usage: counts } = anthropicMessages.readResponse({ model, usage });
  const query = { provider: 'ANTHROPIC', providerId: 'anthropic', models: [model], at };
  const { amount } = priceUsage({ ...unreportedUsage, ...counts }, query, {
    book: bookWithoutOperator,
    organization: noOrganizationPrices,
  });
  return amount === null ? null : usdOf(amount);
}

function addRow(model: string, ours: string, theirs: string, { name, version, published }: FetchedPackage): void {
  rows.push([model, ours, theirs, `${name} ${version} of ${published}`, ours === theirs ? 'yes' : 'NO']);
}
