import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config/load.ts';
import { messageOf } from '../../model/errors.ts';
import { isJsonObject, parseJson } from '../../model/text.ts';
import { replaceFile } from '../../platform/files.ts';
import { type BookFault, readBookData } from '../book-data.ts';
import type { OperatorFile } from '../layers/books.ts';
import { readPriceList } from '../lists/read-list.ts';
import { listedProviderOf } from '../../providers/registry.ts';

/** The public list has some three million bytes. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Reads the operator's price book once, at the start; undefined without one. @throws with a sentence for people that names the place in
 * the file.
 */
export function readPricesFile({ pricesFile }: Config): OperatorFile | undefined {
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

function parsePrices(text: string, file: string): OperatorFile {
  const data = parseJson(text);
  if (data === undefined) throw new Error(`The file of GATELOG_PRICES_FILE, ${file}, is not valid JSON.`);
  const read = readFileData(data, file);
  if (!('fault' in read)) return read;
  throw new Error(
    `The file of GATELOG_PRICES_FILE, ${file}, cannot be used: ${read.fault.path} ${read.fault.problem}. It is an array of prices as PUT /v1/prices takes them, the data.json of genai-prices, or LiteLLM's model_prices_and_context_window.json.`,
  );
}

/** A list of genai-prices keeps its patterns for names. A 0 in LiteLLM's list is what it does not know; elsewhere it was written on purpose. */
function readFileData(data: unknown, file: string): OperatorFile | { readonly fault: BookFault } {
  if (Array.isArray(data) && (data.length === 0 || data.some((entry) => isJsonObject(entry) && 'models' in entry))) {
    return readBookData(data);
  }
  const zeroIsFree = Array.isArray(data);
  const read = readPriceList(data, { source: `the operator's file ${path.basename(file)}`, zeroIsFree, providerIdOf: listedProviderOf });
  return 'fault' in read ? read : { lines: read.lines };
}
