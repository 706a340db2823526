import path from 'node:path';
import Sqlite from 'libsql';

/** The first row of a query on the metadata database; undefined without one. The service may be running. */
export function metadataRow(dataDir: string, query: string): unknown {
  const database = new Sqlite(path.join(dataDir, 'metadata.db'), { readonly: true });
  try {
    return database.prepare(query).get();
  } finally {
    database.close();
  }
}
