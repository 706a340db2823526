import { printable } from '../../config/text-table.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import { asInvoked } from '../base/invocation-text.ts';
import { cellsOf, padded } from '../terminal/cells.ts';
import { type Colour, painter } from '../base/paint.ts';
import type { Finding, FindingState } from './finding.ts';

const colours: Readonly<Record<FindingState, Colour>> = { ok: 'green', warn: 'magenta', fail: 'red', skip: 'dim' };
const gap = '  ';
const stateCells = 4;
const checkCells = 10;
const indentation = ' '.repeat(stateCells + checkCells + 2 * gap.length);

/** Findings for people, a paragraph each, and a summary. @param columns width of the terminal; undefined: lines are not broken. */
export function findingsText(
  findings: readonly Finding[],
  { columns, environment, isColoured }: Pick<CommandDependencies, 'columns' | 'environment' | 'isColoured'>,
): string {
  const paint = painter(isColoured);
  const width = columns === undefined ? Infinity : Math.max(20, columns - indentation.length);
  const paragraphs = findings.map(({ check, state, says, remedy }) => {
    const texts = [says, ...(remedy === undefined ? [] : [`→ ${remedy}`])];
    const lines = texts.flatMap((text) => wrapped(asInvoked(printable(text), environment), width));
    const begin = paint(colours[state], padded(state, stateCells)) + gap + padded(check, checkCells) + gap;
    return lines.map((line, index) => (index === 0 ? begin : indentation) + line).join('\n');
  });
  return [...paragraphs, '', summaryOf(findings)].join('\n');
}

function summaryOf(findings: readonly Finding[]): string {
  const counted = (state: FindingState): number => findings.filter((finding) => finding.state === state).length;
  const [failed, warned, skipped] = [counted('fail'), counted('warn'), counted('skip')];
  if (failed + warned + skipped === 0) return 'Everything is in order.';
  const parts = [
    [counted('ok'), 'in order'],
    [warned, warned === 1 ? 'warning' : 'warnings'],
    [failed, 'failed'],
    [skipped, 'not checked'],
  ] as const;
  return `${parts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])).join(', ')}.`;
}

/** Broken between words; a longer word stands alone. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || cellsOf(last) + 1 + cellsOf(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
