import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page, Request } from 'playwright-core';
import { byLength } from './test-length.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface View {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
  readonly reducedMotion?: 'reduce';
}

export const everyView: readonly View[] = [1280, 390].flatMap((width) => [
  { width, colorScheme: 'light' } as const,
  { width, colorScheme: 'dark' } as const,
]);

/** A narrow window and dark colours have nothing in common that either has not alone. */
export const views = everyView.filter(({ width, colorScheme }) => byLength(width === 1280 || colorScheme === 'light', true));

/** A page with what a visitor must never cause. */
export interface WatchedPage {
  readonly page: Page;
  readonly view: View;
  /** Lines on the console, uncaught errors, and requests to another origin, also those that the browser has blocked. */
  readonly complaints: readonly string[];
  readonly requests: readonly Request[];
}

/** Opens an address in a context of its own. The caller closes the page. */
export async function openWatched(browser: Browser, address: string, view: View): Promise<WatchedPage> {
  const { width, ...preferences } = view;
  const context = await browser.newContext({ viewport: { width, height: 900 }, ...preferences });
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: Request[] = [];
  const { origin } = new URL(address);
  page.on('console', (message) => complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    requests.push(request);
    if (url.origin !== origin && url.protocol !== 'data:') complaints.push(`foreign request: ${request.url()}`);
  });
  await page.goto(address);
  return { page, view, complaints, requests };
}

/**
 * @returns what the rules of axe find, such as missing labels and too little contrast. In `npm test` dark colours are asked for their
 * contrast alone, and a narrow window with light ones for nothing: all else is as in a wide one.
 */
export async function accessibilityFaults({ page, view }: WatchedPage): Promise<readonly string[]> {
  const isDark = view.colorScheme === 'dark';
  if (byLength(view.width !== 1280 && !isDark, false)) return [];
  await page.evaluate(`${axeSource}; undefined`);
  const options = byLength(isDark, false) ? { runOnly: ['color-contrast'] } : {};
  return page.evaluate<readonly string[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).slice(0, 5).join(', ')))`,
  );
}

/** @returns by how many pixels the page is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}
