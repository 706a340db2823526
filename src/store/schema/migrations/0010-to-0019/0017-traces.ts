import type { Migration } from '../../migration.ts';

/**
 * The span of a call, and of the spans that tell of it: by these, and by the provider's identifier of its response, what is told of a call
 * later finds its record. Parts from before have the indexes after their next merge.
 */
export const traces: Migration = {
  number: 17,
  name: 'traces',
  statements: [
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS trace_id String',
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS span_id String',
    'ALTER TABLE requests ADD COLUMN IF NOT EXISTS span_links Array(String)',
    'ALTER TABLE requests ADD INDEX IF NOT EXISTS trace_id_bloom trace_id TYPE bloom_filter GRANULARITY 1',
    'ALTER TABLE requests ADD INDEX IF NOT EXISTS response_id_bloom response_id TYPE bloom_filter GRANULARITY 1',
  ],
};
