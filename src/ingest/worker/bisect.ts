import { type Interpret, type Interpretation, RecordBuilderCrashed, type InterpretTask } from './record-builder.ts';

/**
 * Interprets all of a batch whose bounds may not change any more, because the store may have it already. Where the interpreter crashes on
 * it, its halves are interpreted, down to the one exchange at fault, which becomes a failure at its index. A long stall of the machine also
 * ends the interpreter, so an exchange is at fault only after its second crash.
 * @param hasCrashed on exactly these tasks before.
 * @throws errors other than a crash of the interpreter.
 */
export async function bisect(
  interpret: Interpret,
  tasks: readonly InterpretTask[],
  storedAt: number,
  hasCrashed = false,
): Promise<Interpretation> {
  try {
    const first = await interpret(tasks, storedAt);
    return first.results.length < tasks.length ? await withRest(first, tasks, { interpret, storedAt }) : first;
  } catch (error) {
    if (!(error instanceof RecordBuilderCrashed)) throw error;
    if (tasks.length <= 1 && hasCrashed) return { results: [{ failure: error.message }], [Symbol.dispose]: () => undefined };
  }
  if (tasks.length <= 1) return bisect(interpret, tasks, storedAt, true);
  const middle = Math.ceil(tasks.length / 2);
  return withRest(await bisect(interpret, tasks.slice(0, middle), storedAt), tasks, { interpret, storedAt });
}

/** @param first the interpretation of the first tasks, which is disposed of where the rest fails. */
async function withRest(
  first: Interpretation,
  tasks: readonly InterpretTask[],
  { interpret, storedAt }: { readonly interpret: Interpret; readonly storedAt: number },
): Promise<Interpretation> {
  try {
    return concatenated(first, await bisect(interpret, tasks.slice(first.results.length), storedAt));
  } catch (error) {
    first[Symbol.dispose]();
    throw error;
  }
}

function concatenated(first: Interpretation, second: Interpretation): Interpretation {
  return {
    results: [...first.results, ...second.results],
    [Symbol.dispose]: () => {
      first[Symbol.dispose]();
      second[Symbol.dispose]();
    },
  };
}
