import chromium from '@sparticuz/chromium';
import { type Browser, chromium as launcher } from 'playwright-core';

/** A Chromium from npm, unpacked into the system's temporary folder; it needs no other package of the system. The caller closes it. */
export async function openBrowser(): Promise<Browser> {
  // A GPU in software draws all the time, and takes a fifth of a core.
  chromium.setGraphicsMode = false;
  // In a single process the end of a page is the end of the browser. Without a zygote the process of each page is loaded anew.
  const args = [...chromium.args.filter((argument) => argument !== '--single-process' && argument !== '--no-zygote'), '--disable-gpu'];
  return launcher.launch({ executablePath: await chromium.executablePath(), args, headless: true });
}

let shared: Promise<Browser> | undefined;

/** One for all test files of this process, with whose end it ends. Each file ends its pages with {@link endPages}. */
export async function sharedBrowser(): Promise<Browser> {
  // A page can take its browser down with it.
  if (shared === undefined || !(await shared).isConnected()) {
    shared = openBrowser().catch((error: unknown) => {
      shared = undefined;
      throw error;
    });
    // Its own end of the browser at a signal is slower than vitest waits; the one at an exit is not.
    process.once('SIGTERM', () => process.exit(143));
  }
  return shared;
}

/** Ends what a file has open in the browser that all share, after a failed test too. */
export async function endPages(): Promise<void> {
  const browser = await shared?.catch(() => undefined);
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
}
