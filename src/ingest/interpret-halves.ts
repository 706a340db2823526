import { type Interpret, type InterpretedExchange, InterpreterDied, type InterpretTask } from './interpreter.ts';

/**
 * Interprets a batch whose bounds may not change any more, because the store may have it already: where the interpreter dies on it, its halves are
 * interpreted, down to the one exchange that is at fault, which becomes a failure at its place.
 * @throws what is no death of the interpreter on a batch.
 */
export async function interpretInHalves(
  interpret: Interpret,
  tasks: readonly InterpretTask[],
  storedAt: number,
): Promise<readonly InterpretedExchange[]> {
  try {
    return await interpret(tasks, storedAt);
  } catch (error) {
    if (!(error instanceof InterpreterDied)) throw error;
    if (tasks.length <= 1) return interpretAgain(interpret, tasks, storedAt);
  }
  const middle = Math.ceil(tasks.length / 2);
  const first = await interpretInHalves(interpret, tasks.slice(0, middle), storedAt);
  return [...first, ...(await interpretInHalves(interpret, tasks.slice(middle), storedAt))];
}

/** A machine that stood still for long loses the thread as well, whatever that was at. */
async function interpretAgain(
  interpret: Interpret,
  tasks: readonly InterpretTask[],
  storedAt: number,
): Promise<readonly InterpretedExchange[]> {
  try {
    return await interpret(tasks, storedAt);
  } catch (error) {
    if (!(error instanceof InterpreterDied)) throw error;
    return tasks.map(() => ({ failure: error.message }));
  }
}
