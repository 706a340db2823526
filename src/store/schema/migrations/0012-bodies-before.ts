import type { Migration } from './migration.ts';

/**
 * The table of bodies makes room for the next step. Its rows are moved in the background.
 * TRICKY: a step of its own, which an interrupted start may repeat: a second `bodies` does not exist before it is on record.
 */
export const bodiesBefore: Migration = {
  number: 12,
  name: 'bodies before groups',
  statements: ['RENAME TABLE IF EXISTS bodies TO bodies_before'],
};
