import type { Config } from '../../config/load.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { makeImportedPriceLookUp } from '../../metadata/operator-prices.ts';
import { makeOrganizationPriceLookUp } from '../../metadata/organization/prices.ts';
import type { Observe } from '../../model/observation.ts';
import { systemClock } from '../../platform/clock.ts';
import { listedBook, type OperatorFile } from '../layers/books.ts';
import type { AllCorePrices } from './core-prices.ts';
import { holdImportedPrices } from './imported-prices.ts';
import { readPricesFile } from './prices-file.ts';
import { makeStoredPrices } from './stored-prices.ts';

export interface OpenPrices extends AllCorePrices {
  /** The operator's, read once. */
  readonly file: OperatorFile | undefined;
}

/** Every layer of prices as this process has them. @throws with a sentence for people where the operator's file cannot be read. */
export function openPrices(config: Config, database: MetadataDatabase, observe: Observe): OpenPrices {
  const { monotonic } = systemClock;
  const file = readPricesFile(config);
  const imported = holdImportedPrices({ lookUp: makeImportedPriceLookUp(database), monotonic, observe });
  const stored = makeStoredPrices({ lookUp: makeOrganizationPriceLookUp(database), monotonic, observe });
  return { file, book: listedBook(file, imported.book), imported, stored };
}
