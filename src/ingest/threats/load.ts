import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../model/errors.ts';
import { objectOf } from '../../providers/facts.ts';
import type { ThreatCheck } from './patterns.ts';

/**
 * The check that the operator gives in place of the built-in one: the default export of a JavaScript module.
 * @param file of the module, `.mjs`, or `.js` where its folder says that these are modules.
 * @throws with a sentence for people when it cannot be loaded or exports no function.
 */
export async function loadThreatCheck(file: string): Promise<ThreatCheck> {
  const check = objectOf(await load(file))['default'];
  if (typeof check !== 'function') {
    throw new Error(
      `The file of GATELOG_THREAT_CHECK_FILE, ${file}, has no default export that is a function: export default (text) => true or false.`,
    );
  }
  return (text) => {
    const said: unknown = Reflect.apply(check, undefined, [text]);
    // Of an async one that fails nobody else would hear, and its thread would end.
    if (said instanceof Promise) said.catch(() => undefined);
    if (typeof said !== 'boolean') throw new TypeError('the threat check gave neither true nor false; it must not be async');
    return said;
  };
}

/** As {@link loadThreatCheck}; one that cannot be loaded any more says so of each text, as records must be made all the same. */
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
