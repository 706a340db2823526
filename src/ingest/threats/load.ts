import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../model/errors.ts';
import { objectOf } from '../../providers/format/fields.ts';
import type { ThreatCheck } from './patterns.ts';

/**
 * Loads the operator's check, which replaces the built-in one: the default export of a JavaScript module.
 * @param file `.mjs`, or `.js` in a folder whose `package.json` declares modules.
 * @throws with a readable message when it cannot be loaded or exports no function.
 */
export async function loadThreatCheck(file: string): Promise<ThreatCheck> {
  const check = objectOf(await load(file))['default'];
  if (typeof check !== 'function') {
    throw new Error(
      `The file of GATELOG_THREAT_CHECK_FILE, ${file}, has no default export that is a function: export default (text) => true or false.`,
    );
  }
  return (text) => {
    const result: unknown = Reflect.apply(check, undefined, [text]);
    // An unhandled rejection of an async check would end the thread.
    if (result instanceof Promise) result.catch(() => undefined);
    if (typeof result !== 'boolean') throw new TypeError('the threat check gave neither true nor false; it must not be async');
    return result;
  };
}

/** As {@link loadThreatCheck}; if loading fails, the check throws for each text, so that records are still made. */
export async function loadedThreatCheck(file: string): Promise<ThreatCheck> {
  try {
    return await loadThreatCheck(file);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

async function load(file: string): Promise<unknown> {
  try {
    const exported: unknown = await import(pathToFileURL(path.resolve(file)).href);
    return { ...(exported as object) };
  } catch (error) {
    throw new Error(`The file of GATELOG_THREAT_CHECK_FILE, ${file}, cannot be loaded: ${messageOf(error)}.`, { cause: error });
  }
}
