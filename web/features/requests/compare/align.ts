import type { Turn } from '../../../ui/conversation/read/part.ts';
import { commonOrder } from './common-order.ts';

/** Turns of two conversations that stand beside one another; one of them may be missing. */
export interface TurnPair {
  readonly left: Turn | undefined;
  readonly right: Turn | undefined;
  readonly isSame: boolean;
}

const most = 250_000;

/** Aligns two conversations: the same turns beside one another, and between them turns of the same side in their order. */
export function alignTurns(left: readonly Turn[], right: readonly Turn[]): readonly TurnPair[] {
  const same = commonOrder(left.map(keyOf), right.map(keyOf), most);
  const rows: TurnPair[] = [];
  let [one, other] = [0, 0];
  for (const [leftAt, rightAt] of same) {
    rows.push(...between(left.slice(one, leftAt), right.slice(other, rightAt)));
    rows.push({ left: left[leftAt], right: right[rightAt], isSame: true });
    [one, other] = [leftAt + 1, rightAt + 1];
  }
  return [...rows, ...between(left.slice(one), right.slice(other))];
}

function keyOf(turn: Turn): string {
  return JSON.stringify(turn);
}

/** Turns that differ: those of the same role beside one another, in their order. */
function between(left: readonly Turn[], right: readonly Turn[]): readonly TurnPair[] {
  const order = commonOrder(
    left.map(({ role }) => role),
    right.map(({ role }) => role),
    most,
  );
  const rows: TurnPair[] = [];
  let [one, other] = [0, 0];
  const alone = (leftEnd: number, rightEnd: number): void => {
    for (; one < leftEnd; one += 1) rows.push({ left: left[one], right: undefined, isSame: false });
    for (; other < rightEnd; other += 1) rows.push({ left: undefined, right: right[other], isSame: false });
  };
  for (const [leftAt, rightAt] of order) {
    alone(leftAt, rightAt);
    rows.push({ left: left[one], right: right[other], isSame: false });
    [one, other] = [one + 1, other + 1];
  }
  alone(left.length, right.length);
  return rows;
}
