/** The part of the law that is about statements to databases; `law.ts` has the rest. */

/** Tables of the store whose rows belong to organisations. */
export const organizationTables = ['requests', 'bodies', 'changes', 'session_tags', 'session_changes', 'removals', 'job_requests'] as const;

/** Writers of statements as text: the builder, the schema steps, and the room of another database. */
export const statementWriters: readonly string[] = [
  'src/sql/',
  'src/store/schema/migrations/',
  'src/store/schema/new-store.ts',
  'src/metadata/',
  'src/events/',
  'src/alerts/stored/',
  'src/platform/sqlite/',
];

/** Callers that may access rows of every organisation. */
export const acrossOrganizationsCallers: readonly string[] = [
  'src/store/copy/copied-tables.ts',
  'src/store/copy/copy-store.ts',
  'src/store/copy/digests.ts',
  'src/store/copy/identity.ts',
  'src/store/delete/erasure.ts',
  'src/store/parts/remove-rows.ts',
  'src/store/delete/retention.ts',
  'src/store/insert/very-large-rows.ts',
  'src/store/move/index-words.ts',
  'src/store/move/move-bodies.ts',
  'src/store/parts/keep-words.ts',
  'src/store/parts/restore-parts.ts',
  'src/store/parts/set-aside.ts',
  'src/store/read/count-calls.ts',
  'src/store/read/latest-arrival.ts',
  'src/store/read/latest-stored-number.ts',
  'src/store/update/change-numbers.ts',
  'src/store/update/pending-patches.ts',
];
