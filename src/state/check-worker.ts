import { open } from 'lmdb';

/** Longest time for reading, milliseconds: of a very large state the rest is taken for whole. */
const readMs = 5000;

/**
 * Reads all of a state file and writes to it once. TRICKY: what is damaged may end the process that opens it, or hold it for ever; so this is a process of
 * its own, and exit code 0 says that the file is whole as far as can be told: its pages have no checksums.
 */
async function readThrough(file: string): Promise<void> {
  const deadline = performance.now() + readMs;
  const environment = open<unknown, string>(file, { maxDbs: 16, noSync: true, noSubdir: true });
  const names = [...environment.getKeys()];
  for (const name of names) {
    const table = environment.openDB<unknown, string[]>({ name });
    for (const { value } of table.getRange()) {
      if (value === undefined) throw new Error(`an entry of ${name} has no value`);
      if (performance.now() > deadline) break;
    }
  }
  const scratch = environment.openDB<number, string>({ name: 'check' });
  environment.transactionSync(() => {
    scratch.putSync('check', 1);
    scratch.removeSync('check');
  });
  await environment.close();
}

await readThrough(process.argv[2] ?? '');
