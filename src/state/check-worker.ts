import { open, type Key } from 'lmdb';

/** Maximum time for reading and for writing, milliseconds; the rest of a very large state is assumed to be intact. */
const phaseMaxMs = 5000;

/**
 * Reads a copy of a state file and rewrites every entry, because much damage shows only when pages are changed and taken from the free
 * list.
 * TRICKY: opening a damaged file may crash or hang the process, so this is a process of its own. Exit code 0: no damage found; LMDB's
 * pages have no checksums.
 */
async function exercise(file: string): Promise<void> {
  const environment = open<unknown, string>(file, { maxDbs: 16, noSync: true, noSubdir: true });
  const tables = [...environment.getKeys()].map((name) => environment.openDB<unknown, Key>({ name }));
  const keys = tables.map(() => [] as Key[]);
  let deadline = performance.now() + phaseMaxMs;
  for (const [index, table] of tables.entries()) {
    for (const { key, value } of table.getRange()) {
      if (value === undefined) throw new Error('an entry has no value');
      keys[index]?.push(key);
      if (performance.now() > deadline) break;
    }
  }
  deadline = performance.now() + phaseMaxMs;
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
