import type { PriceLine } from '../model/pricing/price-line.ts';
import type { MetadataDatabase, MetadataQueries } from './database.ts';

/** The list prices that the operator has imported. Another version means other prices. */
export interface ImportedPrices {
  readonly version: number;
  readonly lines: readonly PriceLine[];
}

const onlyRow = 1;
const none: ImportedPrices = { version: 0, lines: [] };

/** Replaces the imported prices; durable on return in the core. @param at Unix milliseconds. */
export async function replaceImportedPrices({ queries }: MetadataQueries, lines: readonly PriceLine[], at: number): Promise<void> {
  const prices = JSON.stringify(lines);
  await queries
    .insertInto('operator_prices')
    .values({ id: onlyRow, prices, version: at })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet((row) => ({ prices, version: row.fn<number>('max', [row.val(at), row('operator_prices.version', '+', 1)]) })),
    )
    .execute();
}

/** Prepares the look-up of the imported prices: they are parsed when their version has changed. @returns a function that throws when the database cannot be read. */
export function makeImportedPriceLookUp(database: MetadataDatabase): () => ImportedPrices {
  const version = database.prepare<{ readonly version: number }>(
    database.queries.selectFrom('operator_prices').select('version').where('id', '=', 0),
  );
  const prices = database.prepare<{ readonly prices: string; readonly version: number }>(
    database.queries.selectFrom('operator_prices').select(['prices', 'version']).where('id', '=', 0),
  );
  let known = none;
  return () => {
    const current = version.first(onlyRow)?.version ?? none.version;
    if (current === known.version) return known;
    const row = prices.first(onlyRow);
    known = row === undefined ? none : { version: row.version, lines: JSON.parse(row.prices) as readonly PriceLine[] };
    return known;
  };
}
