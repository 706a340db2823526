import { isOverResult } from '../../store/engine/failure.ts';
import type { RunStatement } from '../../store/read/run-statement.ts';
import type { RequestContext } from '../endpoint/endpoint.ts';
import { rowBytes } from '../http/response-memory.ts';

/** The rows of a small page are not counted, and may have that much together. */
const minBytes = 1024 * 1024;

/**
 * Reads rows for a page of at most so many. Rows have some kilobytes each; where they have more, as with many long properties, the page is
 * read once more, when no other such page of the organisation is in memory.
 */
export async function rowsRunner({ memory, ports: { run } }: RequestContext, count: number): Promise<RunStatement> {
  await memory.takeRows(count);
  const maxResultBytes = Math.max(minBytes, count * rowBytes);
  let areHeavy = false;
  return async (statement, signal, options) => {
    if (areHeavy) return run(statement, signal, options);
    try {
      return await run(statement, signal, { ...options, maxResultBytes });
    } catch (error) {
      if (!isOverResult(error)) throw error;
    }
    await memory.takeHeavyRows();
    areHeavy = true;
    return run(statement, signal, options);
  };
}
