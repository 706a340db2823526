import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Page } from '../../client/client.ts';
import { beginningOf, fitting, tokenLimits, tokensOf } from '../input/budget.ts';
import { clippedSentence } from './failure.ts';
import { marksTokens, recordedPart } from './recorded.ts';
import { cursorText, type TimeRange } from '../input/range.ts';
import { type CellLimits, type Column, type Table, tableOf } from './rows.ts';
import { textResult } from './tool.ts';

/** A list of recorded things as an answer. */
export interface List<Item> {
  /** Reads a page of at most so many. */
  readonly page: (limit: number) => Promise<Page<Item>>;
  readonly limit: number;
  readonly maxTokens: number | undefined;
  readonly columns: readonly Column<Item>[];
  readonly range: TimeRange;
  /** What is listed, such as `requests`. */
  readonly noun: string;
  /** Behind the noun: range, order, filter. */
  readonly words: string;
  /** Lines behind the rows. */
  readonly tail: (items: readonly Item[]) => readonly string[];
}

/** Tokens of the sentences around the rows, beside their own. */
const frameTokens = 120;

/**
 * Answers as many items as fit. What does not fit is asked for again with a smaller page, so that the cursor goes on exactly behind the last
 * item that is shown.
 */
export async function answerList<Item>(given: List<Item>): Promise<CallToolResult> {
  const list = withinBudget(given);
  let page = await list.page(list.limit);
  let drawn = drawnIn(list, page);
  const isCut = drawn.fitting < page.data.length;
  if (isCut) {
    page = await list.page(drawn.fitting);
    drawn = drawnIn(list, page);
  }
  return textResult(textOf(list, page, drawn.table, isCut), list.maxTokens);
}

/** Words are cut, and a line behind the rows is left out, where either would leave no place for rows. */
function withinBudget<Item>(list: List<Item>): List<Item> {
  const maxTokens = list.maxTokens ?? tokenLimits.standard;
  const words = beginningOf(list.words, Math.floor(maxTokens / 5));
  return {
    ...list,
    maxTokens,
    words: words === list.words ? words : `${words}…`,
    tail: (items) => list.tail(items).filter((line) => tokensOf(line) <= maxTokens / 3),
  };
}

/** The widest cells first. A row that is too long for the whole budget gets narrower ones; the identifier of a request stays whole. */
const cellLimits: readonly CellLimits[] = [
  { name: 256, excerpt: Infinity },
  { name: 256, excerpt: 160 },
  { name: 64, excerpt: 32 },
  { name: 36, excerpt: 16 },
];

interface Drawn {
  readonly table: Table;
  /** Rows. */
  readonly fitting: number;
}

function drawnIn<Item>({ columns, maxTokens = tokenLimits.standard, words, tail }: List<Item>, page: Page<Item>): Drawn {
  const around = tokensOf(
    [words, ...tail(page.data), page.nextCursor ?? '', clippedSentence(page.hint ?? page.warnings.join('\n'))].join('\n'),
  );
  const left = maxTokens - frameTokens - marksTokens - around;
  let drawn: Drawn = { table: { head: '', lines: [] }, fitting: 0 };
  for (const limits of cellLimits) {
    const table = tableOf(page.data, columns, limits);
    const texts = table.lines.map((line) => `${line}\n`);
    const forRows = left - tokensOf(table.head);
    drawn = { table, fitting: fitting(texts, forRows) };
    if (tokensOf(texts[0] ?? '') <= forRows) break;
  }
  return drawn;
}

function textOf<Item>({ noun, words, range, tail }: List<Item>, page: Page<Item>, { head, lines }: Table, isCut: boolean): string {
  const { nextCursor, totalCount, hint, warnings } = page;
  const total = totalCount === undefined ? '' : ` of ${totalCount}`;
  const more =
    nextCursor === undefined
      ? []
      : [`${isCut ? 'Cut to the budget of tokens' : 'There may be more'}: cursor ${JSON.stringify(cursorText(range, nextCursor))}`];
  // They quote stored names, as rows do.
  const hints = (hint === undefined ? warnings : [`Hint: ${hint}`]).map(clippedSentence);
  const recorded = lines.length === 0 ? hints : [...hints, head, ...lines];
  return [
    `${lines.length}${total} ${noun} ${words}.`,
    ...more,
    ...(recorded.length === 0 ? [] : [recordedPart(recorded.join('\n'))]),
    ...(lines.length === 0 ? [] : tail(page.data)),
  ].join('\n');
}
