import { type Interpret, type InterpretedExchange, InterpreterCrashed, InterpreterStopped, type InterpretTask } from './interpreter.ts';

/**
 * Interprets a batch whose bounds may not change any more, because the store may have it already: where the interpreter dies on it, its halves are
 * interpreted, down to the one exchange that is at fault, which becomes a failure at its place. It has to die of that one twice: a machine that stood still
 * for long loses the interpreter as well, whatever that was at. So it goes where the batch takes longer than it did at first.
 * @param isAgain it has died of exactly these.
 * @throws what is no death of the interpreter on a batch.
 */
export async function bisect(
  interpret: Interpret,
  tasks: readonly InterpretTask[],
  storedAt: number,
  isAgain = false,
): Promise<readonly InterpretedExchange[]> {
  try {
    return await interpret(tasks, storedAt);
  } catch (error) {
    if (!(error instanceof InterpreterCrashed || error instanceof InterpreterStopped)) throw error;
    if (tasks.length <= 1 && isAgain) return [{ failure: error.message }];
  }
  if (tasks.length <= 1) return bisect(interpret, tasks, storedAt, true);
  const middle = Math.ceil(tasks.length / 2);
  const first = await bisect(interpret, tasks.slice(0, middle), storedAt);
  return [...first, ...(await bisect(interpret, tasks.slice(middle), storedAt))];
}
