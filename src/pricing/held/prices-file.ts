import { existsSync, readFileSync, statSync } from 'node:fs';
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
/** In the data folder, and beside it the source that its prices name, as the copy has neither name nor day of the operator's file. */
const copyName = 'prices-of-this-start.json';
const sourceEnding = '.source';

/**
 * Reads the operator's price book once, at the start; undefined without one. @throws with a sentence for people that names the place in
 * the file.
 */
export function readPricesFile({ pricesFile }: Config): OperatorFile | undefined {
  return pricesFile === undefined ? undefined : parsePrices(pricesFile, readFile(pricesFile));
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
  const read = readFile(pricesFile);
  parsePrices(pricesFile, read);
  const copy = path.resolve(dataDir, copyName);
  replaceFile(copy, read.text);
  replaceFile(`${copy}${sourceEnding}`, read.source);
  return { ...environment, GATELOG_PRICES_FILE: copy };
}

interface ReadFile {
  readonly text: string;
  /** What its prices name in their explanation. */
  readonly source: string;
}

function readFile(file: string): ReadFile {
  try {
    const { size, mtime } = statSync(file);
    if (size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    const isCopy = path.basename(file) === copyName && existsSync(`${file}${sourceEnding}`);
    const source = isCopy
      ? readFileSync(`${file}${sourceEnding}`, 'utf8')
      : `the operator's file ${path.basename(file)} of ${mtime.toISOString().slice(0, 10)}`;
    return { text: readFileSync(file, 'utf8'), source };
  } catch (error) {
    throw new Error(`The file of GATELOG_PRICES_FILE, ${file}, cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

function parsePrices(file: string, { text, source }: ReadFile): OperatorFile {
  const data = parseJson(text);
  if (data === undefined) throw new Error(`The file of GATELOG_PRICES_FILE, ${file}, is not valid JSON.`);
  const read = readFileData(data, source);
  if (!('fault' in read)) return read;
  throw new Error(
    `The file of GATELOG_PRICES_FILE, ${file}, cannot be used: ${read.fault.path} ${read.fault.problem}. It is an array of prices as PUT /v1/prices takes them, the data.json of genai-prices, or LiteLLM's model_prices_and_context_window.json.`,
  );
}

/** A list of genai-prices keeps its patterns for names. A 0 in LiteLLM's list is what it does not know; elsewhere it was written on purpose. */
function readFileData(data: unknown, source: string): OperatorFile | { readonly fault: BookFault } {
  if (Array.isArray(data) && (data.length === 0 || data.some((entry) => isJsonObject(entry) && 'models' in entry))) {
    const read = readBookData(data);
    return 'fault' in read ? read : { ...read, source };
  }
  const zeroIsFree = Array.isArray(data);
  const read = readPriceList(data, { source, zeroIsFree, providerIdOf: listedProviderOf });
  return 'fault' in read ? read : { lines: read.lines };
}
