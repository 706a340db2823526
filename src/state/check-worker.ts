import { open, type Key } from 'lmdb';

/** Longest time for reading and for writing, milliseconds: of a very large state the rest is taken for whole. */
const eachMs = 5000;

/**
 * Reads all of a copy of a state file, and writes every entry of it anew. TRICKY: what is damaged may end the process that opens it, or hold it for ever;
 * so this is a process of its own, and exit code 0 says that the file is whole as far as can be told: its pages have no checksums. Much of the damage shows
 * only when pages are changed and taken from the list of free ones.
 */
async function exercise(file: string): Promise<void> {
  const environment = open<unknown, string>(file, { maxDbs: 16, noSync: true, noSubdir: true });
  const tables = [...environment.getKeys()].map((name) => environment.openDB<unknown, Key>({ name }));
  const keys = tables.map(() => [] as Key[]);
  let deadline = performance.now() + eachMs;
  for (const [index, table] of tables.entries()) {
    for (const { key, value } of table.getRange()) {
      if (value === undefined) throw new Error('an entry has no value');
      keys[index]?.push(key);
      if (performance.now() > deadline) break;
    }
  }
  deadline = performance.now() + eachMs;
  for (const [index, table] of tables.entries()) {
    table.transactionSync(() => {
      for (const key of keys[index] ?? []) {
        if (performance.now() > deadline) break;
        const value = table.get(key);
        if (value === undefined || !table.removeSync(key)) throw new Error('an entry is not found again');
        table.putSync(key, value);
      }
    });
  }
  await environment.close();
}

await exercise(process.argv[2] ?? '');
