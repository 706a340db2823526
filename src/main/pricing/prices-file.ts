import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config/load.ts';
import { messageOf } from '../../model/errors.ts';
import { parseJson } from '../../model/text.ts';
import { replaceFile } from '../../platform/files.ts';
import { readBookData } from '../../pricing/book-data.ts';
import type { BookProviders } from '../../pricing/price-book.ts';

/** The public list has some three million bytes. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Reads the operator's price book once, at the start; undefined without one. @throws with a sentence for people that names the place in
 * the file.
 */
export function readPricesFile({ pricesFile }: Config): BookProviders | undefined {
  return pricesFile === undefined ? undefined : parsePrices(readText(pricesFile), pricesFile);
}

/**
 * Checks the file and copies it into the data folder, so that a process that restarts later has the same prices. @returns the environment
 * for the processes. @throws as {@link readPricesFile}.
 */
export function keepPricesFile(
  { pricesFile, dataDir }: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  if (pricesFile === undefined) return environment;
  const text = readText(pricesFile);
  parsePrices(text, pricesFile);
  const copy = path.resolve(dataDir, 'prices-of-this-start.json');
  replaceFile(copy, text);
  return { ...environment, GATELOG_PRICES_FILE: copy };
}

function readText(file: string): string {
  try {
    if (statSync(file).size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`The file of GATELOG_PRICES_FILE, ${file}, cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

function parsePrices(text: string, file: string): BookProviders {
  const data = parseJson(text);
  if (data === undefined) throw new Error(`The file of GATELOG_PRICES_FILE, ${file}, is not valid JSON.`);
  const read = readBookData(data);
  if ('providers' in read) return read.providers;
  throw new Error(
    `The file of GATELOG_PRICES_FILE, ${file}, cannot be used: ${read.fault.path} ${read.fault.problem}. It is an array of providers as genai-prices publishes it in data.json.`,
  );
}
