import type { InterpretedExchange } from '../worker/interpreter.ts';

/** Writes over rows that nobody may look at any more, as the next batch would. */
export function spoil(interpreted: readonly InterpretedExchange[]): void {
  for (const result of interpreted) {
    if ('request' in result) for (const rows of [result.request, result.bodies, result.changes]) rows.fill(0xff);
  }
}
