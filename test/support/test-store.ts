/** Where the stores of a test run are: `npm test -- --store server` sets it. */
export const isOnServer = process.env['GATELOG_TEST_STORE'] === 'server';

/** Tests of nothing but the files, caches and disk of the embedded store; a server looks after its own. */
export const filesOfTheEmbeddedStore: readonly string[] = [
  'src/jobs/backup/snapshot.test.ts',
  'src/operator/work/snapshots.test.ts',
  'src/store/engine/connections.test.ts',
  'src/store/engine/library-pages.test.ts',
  'src/store/insert/very-large-rows.test.ts',
  'src/store/schema/new-store.test.ts',
  'src/store/schema/upgrade.test.ts',
];
