const failing: Readonly<Record<string, string>> = {
  store: 'The store does not answer: requests are recorded in the spool, and cannot be queried.',
  ingest: 'Ingest has stopped: requests are recorded in the spool, and do not get into the store.',
};

const degraded: Readonly<Record<string, string>> = {
  metadata: 'The settings database takes no changes.',
  store_full: 'The disk is full up to its reserve: requests wait in the spool until there is room.',
  store_damaged: 'Files of the store are damaged: queries that need them fail.',
  store_moved:
    'The records have moved to another store: start Gatelog with it. Until then requests wait in the spool, and changes are refused.',
  store_upgrading: 'An upgrade is moving the bodies of older requests; everything can be queried meanwhile.',
  ingest_behind: 'Ingest is behind: requests can be queried more than a minute after they end.',
};

/** What it means that a part fails. */
export function failingText(part: string): string {
  return failing[part] ?? `${part} does not work at the moment.`;
}

/** What it means that a part works, and is behind or about to fail. */
export function degradedText(part: string): string {
  return degraded[part] ?? `${part} is degraded.`;
}
