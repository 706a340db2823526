import path from 'node:path';
import Sqlite from 'libsql';

/** The first row that a query finds in the metadata of a data folder; undefined without one. A service may run on it. */
export function metadataRow(dataDir: string, query: string): unknown {
  const database = new Sqlite(path.join(dataDir, 'metadata.db'), { readonly: true });
  try {
    return database.prepare(query).get();
  } finally {
    database.close();
  }
}
