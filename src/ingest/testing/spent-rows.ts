import type { DrainParts } from '../drain-parts.ts';
import type { Interpret, InterpretedExchange, InterpretTask } from '../worker/record-builder.ts';

/** Interpretation as tests write it: without an owner of the results. */
export type TestInterpret = (tasks: readonly InterpretTask[], storedAt: number) => Promise<readonly InterpretedExchange[]>;

export interface TestPorts extends Partial<Omit<DrainParts, 'interpret'>> {
  readonly interpret?: TestInterpret;
  /** Called with results at their disposal, in place of `spoil`. */
  readonly release?: ((interpreted: readonly InterpretedExchange[]) => void) | undefined;
}

/** Gives the results of an interpretation an owner. */
export function owned(interpret: TestInterpret, release: TestPorts['release'] = spoil): Interpret {
  return async (tasks, storedAt) => {
    const results = await interpret(tasks, storedAt);
    return { results, [Symbol.dispose]: () => release(results) };
  };
}

/** Writes over rows that nothing may read any more, as the next batch would. */
function spoil(interpreted: readonly InterpretedExchange[]): void {
  for (const result of interpreted) {
    if ('request' in result) for (const rows of [result.request, result.bodies, result.changes]) rows.fill(0xff);
  }
}
