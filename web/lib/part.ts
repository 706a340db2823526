import { gatelog } from './client.ts';

const key = 'gatelog.reloaded';
/** A document that lacks the part too is not loaded again and again. */
const pauseMs = 10_000;

/**
 * Loads the part of a page. Where it is missing although the service answers, the document is loaded again: a newer service has other parts,
 * and a browser may remember that one could not be had. Without the service the client's own error says so, in the dashboard; a document
 * loaded then would be the browser's own page.
 */
export function part<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return async () => {
    try {
      return await load();
    } catch (missing) {
      await gatelog.browserSession.get();
      if (Date.now() - Number(sessionStorage.getItem(key)) < pauseMs) {
        throw new Error('A part of this page is missing.', { cause: missing });
      }
      sessionStorage.setItem(key, String(Date.now()));
      location.reload();
      return new Promise<never>(() => undefined);
    }
  };
}
