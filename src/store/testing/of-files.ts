import { isOnServer } from '../../../test/support/test-store.ts';

/** Defines tests of the files of the embedded store, of its caches and its disk; a server looks after its own. */
export function ofFiles(define: () => void): void {
  if (!isOnServer) define();
}
