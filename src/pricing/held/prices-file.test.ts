import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Config, loadConfig } from '../../config/load.ts';
import { listedBook } from '../layers/books.ts';
import { keepPricesFile, readPricesFile } from './prices-file.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-prices-'));
  file = path.join(folder, 'prices.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const good = JSON.stringify([{ id: 'openai', models: [{ id: 'a', match: { equals: 'a' }, prices: { input_mtok: 1 } }] }]);

function configWith(environment: Readonly<Record<string, string>>): Config {
  const loaded = loadConfig({ GATELOG_DATA_DIR: folder, ...environment });
  if ('faults' in loaded) throw new Error('the configuration is wrong');
  return loaded.config;
}

it('without the setting there is no book and nothing is kept', () => {
  expect(readPricesFile(configWith({}))).toBeUndefined();
  expect(keepPricesFile(configWith({}), { A: 'b' })).toEqual({ A: 'b' });
});

it('keeps a copy for the processes of this start, whatever becomes of the file', () => {
  writeFileSync(file, good);
  const environment = keepPricesFile(configWith({ GATELOG_PRICES_FILE: file }), { A: 'b', GATELOG_PRICES_FILE: file });
  const copy = environment['GATELOG_PRICES_FILE'] ?? '';
  writeFileSync(file, 'changed');
  expect(readFileSync(copy, 'utf8')).toBe(good);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(environment['A']).toBe('b');
  expect(readPricesFile(configWith({ GATELOG_PRICES_FILE: copy }))).toMatchObject({ providers: [{ id: 'openai' }] });
});

const anyText = expect.any(String) as string;

it.each([
  ['our form', [{ model: 'house-7b', input: 3, output: 0 }], { model: 'house-7b', rates: { input: 3, output: 0 } }],
  [
    "LiteLLM's, whose 0 is nothing that it knows",
    {
      'gpt-9': {
        litellm_provider: 'openai',
        input_cost_per_token: 1e-6,
        output_cost_per_token: 0,
        input_cost_per_token_above_200k_tokens: 0,
      },
    },
    { model: 'gpt-9', provider: 'openai', rates: { input: 1 } },
  ],
])('reads %s', (_form, list, line) => {
  writeFileSync(file, JSON.stringify(list));
  expect(readPricesFile(configWith({ GATELOG_PRICES_FILE: file }))).toEqual({
    lines: [{ validFrom: null, provider: null, source: anyText, ...line }],
  });
});

it('takes a 0 in the form of genai-prices as written on purpose', () => {
  writeFileSync(file, good.replace('"input_mtok":1', '"input_mtok":0'));
  const book = listedBook(readPricesFile(configWith({ GATELOG_PRICES_FILE: file })), () => undefined);
  expect(book.find('openai', 'a', 0)?.rates.get('input')).toEqual({ perMillion: 0n, steps: [] });
});

it.each([
  ['genai-prices', JSON.parse(good) as unknown],
  ['ours', [{ model: 'a', input: 1 }]],
])('a price of a file in the form of %s names the file of the operator and its day, in every process', (_form, list) => {
  writeFileSync(file, JSON.stringify(list));
  const day = new Date('2026-11-01T12:00:00Z');
  utimesSync(file, day, day);
  const copy = keepPricesFile(configWith({ GATELOG_PRICES_FILE: file }), {})['GATELOG_PRICES_FILE'] ?? '';
  for (const read of [file, copy]) {
    const book = listedBook(readPricesFile(configWith({ GATELOG_PRICES_FILE: read })), () => undefined);
    expect(book.find('openai', 'a', 0)?.source).toBe("the operator's file prices.json of 2026-11-01");
  }
});

it.each([
  ['is missing', undefined, 'cannot be read: ENOENT'],
  ['is no JSON', '{', 'is not valid JSON.'],
  [
    'has a fault',
    '[{"id": "openai", "models": [{"id": "a", "match": {"equals": "a"}, "prices": {"input_mtok": "1"}}]}]',
    'cannot be used: providers[0].models[0].prices.input_mtok is no number from 0. It is an array of prices as PUT /v1/prices takes them, the data.json',
  ],
])('a file that %s is a sentence with its name and the place', (_case, text, sentence) => {
  if (text !== undefined) writeFileSync(file, text);
  const config = configWith({ GATELOG_PRICES_FILE: file });
  expect(() => readPricesFile(config)).toThrow(`The file of GATELOG_PRICES_FILE, ${file}, ${sentence}`);
  expect(() => keepPricesFile(config, {})).toThrow(sentence);
});
