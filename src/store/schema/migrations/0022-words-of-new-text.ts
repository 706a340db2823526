import type { Migration } from './migration.ts';

/** As `newRequestWords` of `sql/new-words.ts` was then. */
const places = ['1', '2', '3'].map((number) => `substring(request_body, new_spans[${number}].1, new_spans[${number}].2)`);
const newWords = `lowerUTF8(concat(${places.join(", ' ', ")}))`;
const index = "TYPE text(tokenizer = splitByNonAlpha, posting_list_codec = 'bitpacking')";

const allNew = '[(toUInt32(1), toUInt32(4294967295)), (toUInt32(1), toUInt32(0)), (toUInt32(1), toUInt32(0))]';

/**
 * Each turn of a conversation repeats it, and its words were indexed again with each: two thirds of what storing a turn took. The index has
 * the words of a request that its group had not stored before. Rows from before have their whole text as new. A word stands in few rows
 * then, for which packed postings take less.
 *
 * TRICKY: the two indexes of before stay until the engine has made these for all parts: `store/move/index-words.ts`.
 */
export const wordsOfNewText: Migration = {
  number: 22,
  name: 'words of new text',
  statements: [
    `ALTER TABLE bodies ADD COLUMN IF NOT EXISTS new_spans Array(Tuple(UInt32, UInt32)) DEFAULT ${allNew} CODEC(ZSTD(1))`,
    `ALTER TABLE bodies ADD INDEX IF NOT EXISTS new_request_words ${newWords} ${index}`,
    `ALTER TABLE bodies ADD INDEX IF NOT EXISTS packed_response_words lowerUTF8(concat(response_body, ' ')) ${index}`,
  ],
  onEmpty: {
    rows: 'SELECT 1 FROM bodies LIMIT 1',
    statements: ['ALTER TABLE bodies DROP INDEX IF EXISTS request_words, DROP INDEX IF EXISTS response_words'],
  },
};
